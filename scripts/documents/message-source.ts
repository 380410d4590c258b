import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface SourceDecorator {
  readonly name: string;
  readonly arguments: readonly string[];
}

export interface SourceField {
  readonly meaning: string;
  readonly decorators: readonly SourceDecorator[];
}

interface SourceClass {
  readonly extended: string | undefined;
  readonly fields: ReadonlyMap<string, SourceField>;
}

const FOLDERS = ['group-a', 'group-b'].map((group) => join(__dirname, '..', '..', 'libs', 'gateway-protocol', group, 'messages'));

const meaningOf = (member: ts.PropertyDeclaration): string =>
  ts
    .getJSDocCommentsAndTags(member)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const decoratorsOf = (member: ts.PropertyDeclaration, source: ts.SourceFile): readonly SourceDecorator[] =>
  (ts.getDecorators(member) ?? []).map(({ expression }) => {
    if (!ts.isCallExpression(expression)) throw new Error(`${source.fileName}: a decorator that is not called`);
    return { name: expression.expression.getText(source), arguments: expression.arguments.map((argument) => argument.getText(source)) };
  });

const classOf = (node: ts.ClassDeclaration, source: ts.SourceFile): SourceClass => {
  const extended = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0]?.expression.getText(source);
  const fields = node.members.filter(ts.isPropertyDeclaration).map((member) => {
    const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(source);
    return [name, { meaning: meaningOf(member), decorators: decoratorsOf(member, source) }] as const;
  });
  return { extended, fields: new Map(fields) };
};

const readClasses = (): ReadonlyMap<string, SourceClass> => {
  const classes = new Map<string, SourceClass>();
  const files = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true);
    for (const statement of source.statements) {
      if (ts.isClassDeclaration(statement) && statement.name !== undefined) classes.set(statement.name.text, classOf(statement, source));
    }
  }
  return classes;
};

const classes = readClasses();

/** The field's declaration in the message or a base class. @throws if there is none */
export const sourceField = (message: string, field: string): SourceField => {
  for (let name: string | undefined = message; name !== undefined; name = classes.get(name)?.extended) {
    const found = classes.get(name)?.fields.get(field);
    if (found !== undefined) return found;
  }
  throw new Error(`the source of ${message} declares no field ${field}`);
};
