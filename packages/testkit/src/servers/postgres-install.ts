import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where Debian and its kin put each version. */
const VERSIONS = "/usr/lib/postgresql";

/** The folder that has `initdb` and `postgres`: of PATH, else the newest that is installed; nothing where there is none. */
export function postgresBinaries(
  path: string = process.env.PATH ?? "",
  versions: string = VERSIONS,
): string | undefined {
  const onPath = path.split(delimiter).filter((folder) => folder !== "");
  return [...onPath.map(realFolder), ...installed(versions)].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

/** PATH may have links to some of the programs, whose folder has them all. */
function realFolder(folder: string): string {
  const link = join(folder, "initdb");
  return existsSync(link) ? join(realpathSync(link), "..") : folder;
}

function installed(versions: string): readonly string[] {
  const names = existsSync(versions) ? readdirSync(versions) : [];
  return names.sort((one, other) => Number(other) - Number(one)).map((name) => join(versions, name, "bin"));
}

/** Who a server runs as. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so root lends it to somebody else; nothing for everybody else. */
export function unprivileged(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string): number => Number(execFileSync("id", [flag, name], { stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // There is nobody of that name.
    }
  }
  return undefined;
}
