import { join } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import ts from 'typescript';
import type { JsonSchema, MessageClass } from '@app/gateway-protocol';
import { ref } from './documented-operation';

/** Limits that class-validator's rules add to a type; those that are `undefined` only repeat it. */
const LIMITS: Readonly<Record<string, ((...constraints: never[]) => JsonSchema) | undefined>> = {
  isIn: (values: readonly unknown[]) => ({ enum: [...values] }),
  isLength: (minLength: number, maxLength: number) => ({ minLength, maxLength }),
  matches: ({ source }: RegExp) => ({ pattern: source }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  isInt: undefined,
  isBoolean: undefined,
  isArray: undefined,
  isObject: undefined,
};
const [CONDITIONAL, NESTED] = ['conditionalValidation', 'nestedValidation'];
/** Members with such a name are times; numbers are milliseconds. */
const TIME = /(?:^at|^since|At|Since)$/;

const rulesOf = (Message: MessageClass, name: string) =>
  getMetadataStorage()
    .getTargetValidationMetadatas(Message, '', false, false)
    .filter(({ propertyName }) => propertyName === name);

/** The class that class-transformer creates for a member or its items; by default the message's own. */
const childOf = (Message: MessageClass, name: string): MessageClass => {
  const made = plainToInstance(Message as new () => object, { [name]: [{}] }) as Readonly<Record<string, unknown>>;
  const [item] = [made[name]].flat();
  return typeof item === 'object' && item !== null && item.constructor !== Object ? (item.constructor as new () => object) : Message;
};

/** The limits of a member's rules, or the sent form if it differs. */
const ruledBy = (Message: MessageClass, name: string, own: JsonSchema): JsonSchema => {
  const rules = rulesOf(Message, name).filter(({ type }) => type !== CONDITIONAL && type !== NESTED);
  const sent = rules.map(({ context }) => (context as { readonly sent?: JsonSchema } | undefined)?.sent).find((schema) => schema);
  if (sent !== undefined) return sent;
  const limits = rules.map(({ name: rule = '', constraints }) => {
    if (!(rule in LIMITS)) throw new Error(`${Message.name}.${name}: the rule ${rule} has no schema`);
    return LIMITS[rule]?.(...(constraints as never[])) ?? {};
  });
  return Object.assign({}, own, ...limits) as JsonSchema;
};

export interface TypedAnswer {
  readonly statuses: readonly number[];
  readonly body: ts.Type;
}

export interface SourceHandler {
  readonly text: string;
  readonly tags: readonly (readonly [name: string, text: string])[];
  readonly parameters: readonly ts.Type[];
  readonly answers: readonly TypedAnswer[];
}

/** Generates schemas from source types, so that nothing is described twice. A named object type becomes its own schema. */
export class SourceTypes {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #named = new Map<string, ts.Type>();
  readonly #checker: ts.TypeChecker;
  readonly #declarations: readonly (ts.ClassDeclaration | ts.InterfaceDeclaration)[];

  /** @param files relative to the repository's root; their imports are read too */
  constructor(files: readonly string[]) {
    const root = join(__dirname, '..', '..');
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as { config: { include: string[] } };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root);
    const program = ts.createProgram({ rootNames: files.map((name) => join(root, name)), options: { ...options, noEmit: true } });
    this.#checker = program.getTypeChecker();
    const own = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
    this.#declarations = own.flatMap(({ statements }) =>
      statements.filter((statement) => ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)),
    );
  }

  /** @param file because several files may declare the name */
  declared(name: string, file: string): JsonSchema {
    const declaration = this.#declarations.find((one) => one.name?.text === name && one.getSourceFile().fileName.endsWith(`/${file}`));
    if (declaration === undefined) throw new Error(`${file} does not declare ${name}`);
    return this.schemaOf(this.#checker.getTypeAtLocation(declaration));
  }

  handler(controller: string, method: string): SourceHandler {
    const members: readonly ts.Declaration[] = this.#declarations.find(({ name }) => name?.text === controller)?.members ?? [];
    const declaration = members.filter(ts.isMethodDeclaration).find(({ name }) => name.getText() === method);
    if (declaration === undefined) throw new Error(`${controller} has no ${method}`);
    const symbol = this.#checker.getSymbolAtLocation(declaration.name);
    const signature = this.#checker.getSignatureFromDeclaration(declaration);
    if (symbol === undefined || signature === undefined) throw new Error(`${controller}.${method} has no type`);
    const answer = this.#checker.getReturnTypeOfSignature(signature);
    const replies = this.#checker.getAwaitedType(answer) ?? answer;
    return {
      text: this.#textOf(symbol),
      tags: symbol.getJsDocTags(this.#checker).map(({ name, text }) => [name, oneLine(ts.displayPartsToString(text))] as const),
      parameters: declaration.parameters.map((parameter) => this.#checker.getTypeAtLocation(parameter)),
      answers: (replies.isUnion() ? replies.types : [replies]).map((reply) => this.#answerOf(reply)),
    };
  }

  /** A reply is generic in its body and its statuses. */
  #answerOf(reply: ts.Type): TypedAnswer {
    const [body, status] = this.#checker.getTypeArguments(reply as ts.TypeReference);
    if (body === undefined || status === undefined) throw new Error(`${this.#checker.typeToString(reply)} is no reply`);
    const statuses = (status.isUnion() ? status.types : [status]).flatMap((one) => (one.isNumberLiteral() ? [one.value] : []));
    return { statuses: statuses.length === 0 ? [200] : statuses, body };
  }

  /** @param Message the class that validates values of the type */
  schemaOf(type: ts.Type, name = '', Message?: MessageClass): JsonSchema {
    const kinds = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
    const isNullable = kinds.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);
    // Sorted, because the compiler's order depends on the files that it has read before.
    const schemas = kinds
      .filter(({ flags }) => (flags & ts.TypeFlags.Null) === 0)
      .map((kind) => this.#one(kind, name, Message))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const scalars = schemas.filter(({ type: kind }) => typeof kind === 'string' && !['object', 'array'].includes(kind));
    const [first = {}] = schemas;
    if (scalars.length < schemas.length) {
      const all = [...schemas, ...(isNullable ? [{ type: 'null' } as unknown as JsonSchema] : [])];
      return all.length === 1 ? first : { oneOf: all };
    }
    const types = [...new Set([...schemas.map(({ type: kind }) => kind as string), ...(isNullable ? ['null'] : [])])];
    const isEnum = schemas.every(({ enum: values }) => values !== undefined);
    const values = schemas.flatMap((schema) => schema.enum ?? []);
    const isBoolean = types.every((kind) => kind === 'boolean' || kind === 'null') && values.length === 2;
    return {
      ...first,
      type: types.length === 1 ? (types[0] as 'string') : types,
      ...(isEnum && !isBoolean ? { enum: [...values, ...(isNullable ? [null] : [])] } : { enum: undefined }),
    } as JsonSchema;
  }

  /** A schema without additional members. */
  membersOf(type: ts.Type, Message?: MessageClass): JsonSchema {
    const members = inOrder(this.#checker.getPropertiesOfType(type)).map((member) => {
      const { name } = member;
      const own = this.schemaOf(this.#checker.getTypeOfSymbol(member), name, Message && childOf(Message, name));
      const schema = Message === undefined ? own : ruledBy(Message, name, own);
      const text = this.#textOf(member);
      const isOptional = Message && rulesOf(Message, name).some(({ type: rule }) => rule === CONDITIONAL);
      return { name, schema: text === '' ? schema : { ...schema, description: text }, isOptional: isOptional ?? this.#isOptional(member) };
    });
    return {
      type: 'object',
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      required: members.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      additionalProperties: false,
    };
  }

  #isOptional(member: ts.Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(member);
    const kinds = type.isUnion() ? type.types : [type];
    return (member.flags & ts.SymbolFlags.Optional) !== 0 || kinds.some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0);
  }

  /** Any type that is not a union. */
  #one(type: ts.Type, name: string, Message: MessageClass | undefined): JsonSchema {
    const has = (flag: ts.TypeFlags): boolean => (type.flags & flag) !== 0;
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] };
    if (has(ts.TypeFlags.BooleanLiteral)) return { type: 'boolean', enum: [this.#checker.typeToString(type) === 'true'] };
    const isTime = TIME.test(name);
    if (has(ts.TypeFlags.String)) return { type: 'string', ...(isTime && Message === undefined && { format: 'date-time' }) };
    if (has(ts.TypeFlags.Number)) return { type: 'integer', ...(isTime && { description: 'Milliseconds since 1970-01-01T00:00:00Z.' }) };
    // A branded string or number.
    const primitive = type.isIntersection() && type.types.find(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.Number)) !== 0);
    return primitive ? this.#one(primitive, name, Message) : this.#structure(type, Message);
  }

  #structure(type: ts.Type, Message: MessageClass | undefined): JsonSchema {
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
      if (item === undefined) throw new Error(`${this.#checker.typeToString(type)} has no items`);
      return { type: 'array', items: this.schemaOf(item, '', Message) };
    }
    const properties = this.#checker.getPropertiesOfType(type);
    if (properties.length === 0) {
      const value = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
      return { type: 'object', ...(value && { additionalProperties: this.schemaOf(value) }) };
    }
    const name = type.aliasTypeArguments === undefined ? (type.aliasSymbol ?? type.getSymbol())?.name : undefined;
    if (name === undefined || name.startsWith('__')) return this.membersOf(type, Message);
    const known = this.#named.get(name);
    if (known !== undefined && known !== type) throw new Error(`two types are called ${name}`);
    this.#named.set(name, type);
    if (known === undefined) this.schemas[name] = this.membersOf(type, Message);
    return ref(name);
  }

  #textOf(symbol: ts.Symbol): string {
    return oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)));
  }
}

/** Declaration order, because members of types like `Omit` have no stable order. */
const inOrder = (members: readonly ts.Symbol[]): readonly ts.Symbol[] => {
  const declarations = new Map(members.map((member) => [member, member.declarations?.[0]]));
  const isOfOneFile = new Set([...declarations.values()].map((declaration) => declaration?.getSourceFile())).size === 1;
  return isOfOneFile ? members.toSorted((a, b) => (declarations.get(a)?.pos ?? 0) - (declarations.get(b)?.pos ?? 0)) : members;
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
