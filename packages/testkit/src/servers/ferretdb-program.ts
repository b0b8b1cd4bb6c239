/** The version of FerretDB that {@link FERRETDB_PROGRAM} is built with: the last that needs no PostgreSQL. */
export const FERRETDB_VERSION: string = "1.24.2";

/** The Go module of the program. */
export const FERRETDB_MODULE: string = `module tinyagents.test/ferretdb

go 1.24

require github.com/FerretDB/FerretDB v${FERRETDB_VERSION}
`;

/**
 * A MongoDB server in a folder: FerretDB on SQLite, without telemetry, reached through a socket there.
 *
 * FerretDB reads a document and writes it back in two steps, so two clients that update one lose a write. MongoDB does not:
 * here one command runs at a time, and each is atomic.
 */
export const FERRETDB_PROGRAM: string = `package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const largestMessage = 64 << 20

var turn sync.Mutex

func main() {
	folder := os.Args[1]
	behind := filepath.Join(folder, "behind.sock")
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: behind},
		Handler:   "sqlite",
		SQLiteURL: "file:" + folder + "/?_pragma=synchronous(off)",
		Logger:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	check(err)
	go func() {
		check(server.Run(context.Background()))
	}()
	listener, err := net.Listen("unix", filepath.Join(folder, "mongodb.sock"))
	check(err)
	fmt.Fprintln(os.Stderr, "ready to accept connections")
	for {
		client, err := listener.Accept()
		check(err)
		go serve(client, behind)
	}
}

func serve(client net.Conn, behind string) {
	defer client.Close()
	server, err := net.Dial("unix", behind)
	if err != nil {
		return
	}
	defer server.Close()
	for {
		message, err := read(client)
		if err != nil {
			return
		}
		reply, err := ask(server, message)
		if err != nil {
			return
		}
		if _, err = client.Write(reply); err != nil {
			return
		}
	}
}

// ask sends a message when it is its turn, and gives the reply: none to a message that says that it wants none.
func ask(server net.Conn, message []byte) ([]byte, error) {
	turn.Lock()
	defer turn.Unlock()
	if _, err := server.Write(message); err != nil {
		return nil, err
	}
	const opMsg, moreToCome = 2013, 2
	if binary.LittleEndian.Uint32(message[12:]) == opMsg && len(message) > 16 && message[16]&moreToCome != 0 {
		return nil, nil
	}
	return read(server)
}

func read(from net.Conn) ([]byte, error) {
	head := make([]byte, 16)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head)
	if size < 16 || size > largestMessage {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	message := make([]byte, size)
	copy(message, head)
	_, err := io.ReadFull(from, message[16:])
	return message, err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`;
