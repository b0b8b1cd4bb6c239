import { readFileSync } from "node:fs";
import ts from "typescript";

/**
 * What a TypeScript file needs from outside.
 * @returns {{ imports: string[], valueImports: string[], globals: string[] }} module specifiers, those still there at
 *   run time, and names that the file uses without declaring them.
 */
export function readSource(file) {
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const imports = new Set();
  const valueImports = new Set();
  const used = new Set();
  const declared = new Set();

  const visit = (node) => {
    const found = importOf(node);
    if (found !== undefined) {
      imports.add(found.specifier);
      if (!found.isTypeOnly) valueImports.add(found.specifier);
    }
    if (ts.isIdentifier(node)) {
      if (isDeclaredBy(node)) declared.add(node.text);
      else if (isFreeUse(node)) used.add(node.text);
    }
    if (isGlobalThisMember(node)) used.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return {
    imports: [...imports],
    valueImports: [...valueImports],
    globals: [...used].filter((name) => !declared.has(name)),
  };
}

function importOf(node) {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
    return { specifier: node.moduleSpecifier.text, isTypeOnly: isTypeOnly(node) };
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return { specifier: node.argument.literal.text, isTypeOnly: true };
  const [argument] = ts.isCallExpression(node) && isImportCall(node) ? node.arguments : [];
  return argument !== undefined && ts.isStringLiteralLike(argument)
    ? { specifier: argument.text, isTypeOnly: false }
    : undefined;
}

function isImportCall({ expression }) {
  return (
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === "require")
  );
}

function isTypeOnly(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly || everyNamed(node.exportClause);
  const clause = node.importClause;
  if (clause === undefined) return false;
  return clause.isTypeOnly || (clause.name === undefined && everyNamed(clause.namedBindings));
}

/** Whether every name in braces is marked `type`. */
function everyNamed(clause) {
  const elements = clause?.elements;
  return elements !== undefined && elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

function isDeclaredBy(node) {
  const { parent } = node;
  return parent.name === node && !ts.isPropertyAccessExpression(parent) && !isMember(parent) && !isShorthand(parent);
}

function isFreeUse(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (isShorthand(parent)) return true;
  return parent.name !== node && parent.propertyName !== node && !ts.isTypeReferenceNode(parent);
}

/** Members are reached through their object, so they neither use nor hide a global of their name. */
function isMember(node) {
  return (
    ts.isTypeElement(node) || ts.isClassElement(node) || ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node)
  );
}

/** `{ process }` uses the name; it declares nothing. */
function isShorthand(node) {
  return ts.isShorthandPropertyAssignment(node);
}

function isGlobalThisMember(node) {
  return (
    ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "globalThis"
  );
}
