import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const HERE = new URL(".", import.meta.url);
const SOURCES = new URL("../../src/provider/", HERE);
const page = readFileSync(new URL("../../../docs/writing-a-provider.md", HERE), "utf8");

describe("the guide to writing a provider shows the adapter as it is", () => {
  it.each(readdirSync(SOURCES))("%s (PKG-03)", (name) => {
    expect(page).toContain(`\`\`\`ts fragment\n${readFileSync(new URL(name, SOURCES), "utf8")}\`\`\``);
  });

  it.each(["subject.ts", "acme-wire.ts"])("and how it is checked: %s (PKG-03)", (name) => {
    expect(page).toContain(`\`\`\`ts fragment\n${readFileSync(new URL(name, HERE), "utf8")}\`\`\``);
  });
});
