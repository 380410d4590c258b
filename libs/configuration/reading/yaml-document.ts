import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
} from 'yaml';
import { mappingOf } from './environment';
import { faultAt, type Fault, type Path } from './fault';

const DEPTH_MAX = 32;
/** Collections and scalars that are open at once: more than a document of the allowed depth has. */
const OPEN_MAX = 4 * DEPTH_MAX;
const NODES_MAX = 500_000;
const ALIASES_MAX = 100;

/** Replaces the parser's messages, which quote the text and may reveal a secret. */
const SYNTAX: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias has an anchor or a tag',
  BAD_ALIAS: 'an alias names no anchor',
  BAD_COLLECTION_TYPE: 'a collection has a tag that does not fit',
  BAD_DIRECTIVE: 'a directive is malformed',
  BAD_DQ_ESCAPE: 'a quoted text has an unknown escape',
  BAD_INDENT: 'the indentation is wrong',
  BAD_PROP_ORDER: 'anchors and tags are in the wrong order',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a nested mapping is at the position of a key',
  BLOCK_IN_FLOW: 'a block is inside { } or [ ]',
  DUPLICATE_KEY: 'a key occurs twice',
  IMPOSSIBLE: 'this cannot be parsed',
  KEY_OVER_1024_CHARS: 'a key is too long',
  MISSING_CHAR: 'a character is missing: a bracket, a comma, a colon or a quote',
  MULTILINE_IMPLICIT_KEY: 'a key runs over several lines',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  MULTIPLE_DOCS: 'there is a second document',
  MULTIPLE_TAGS: 'a value has two tags',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'the nesting is too deep',
  TAB_AS_INDENT: 'a tab indents this line: use spaces',
  TAG_RESOLVE_FAILED: 'a tag is unknown',
  UNEXPECTED_TOKEN: 'this text is unexpected here',
};

interface Reading {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

/**
 * The tokens of a text. The library's next step calls itself for each level, and a regular expression that is compiled near the end of the stack
 * ends the process.
 * @throws Error if more are open at once than a document may have
 */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > OPEN_MAX) throw new Error('nested too deep');
  }
  yield* parser.end();
}

const parse = (text: string, lines: LineCounter): readonly Document.Parsed[] => {
  try {
    const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'error' });
    const [first, second] = composer.compose(tokensOf(text, lines), true, text.length);
    return [first, second].filter((document) => document !== undefined);
  } catch {
    return [];
  }
};

/** Parses YAML 1.2 (and so JSON) to plain values, mappings without a prototype. Syntax errors are reported by line, duplicate keys by path. */
export const readYaml = (text: string): Reading => {
  const lines = new LineCounter();
  const [document, second] = parse(text, lines);
  if (document === undefined) return { value: undefined, faults: [faultAt([], 'cannot be read as YAML: the nesting is too deep')] };
  const syntax = [...document.errors, ...document.warnings].map(({ code, pos }) => ({ code, at: pos[0] }));
  if (second !== undefined) syntax.push({ code: 'MULTIPLE_DOCS', at: second.range[0] });
  if (syntax.length > 0) {
    const faults = syntax.map(({ code, at }) => {
      const { line, col } = lines.linePos(at);
      return { path: `line ${line}, column ${col}`, problem: SYNTAX[code] };
    });
    return { value: undefined, faults };
  }

  const faults: Fault[] = [];
  let nodes = 0;
  let aliases = 0;
  let isTooMuch = false;
  const stopAt = (path: Path): undefined => {
    if (!isTooMuch) faults.push(faultAt(path, 'the document is too large or nested too deep'));
    isTooMuch = true;
  };
  const plain = (node: unknown, path: Path): unknown => {
    if (isTooMuch || ++nodes > NODES_MAX || path.length > DEPTH_MAX) return stopAt(path);
    if (isAlias(node)) {
      const target = node.resolve(document);
      if (target === undefined) faults.push(faultAt(path, 'is an alias without an anchor'));
      return ++aliases > ALIASES_MAX ? stopAt(path) : plain(target, path);
    }
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item, index) => plain(item, [...path, index]));
    if (!isMap(node)) return null;
    const seen = new Set<string>();
    const entries: [string, unknown][] = [];
    for (const { key, value } of node.items) {
      if (!isScalar(key) || typeof key.value !== 'string') {
        faults.push(faultAt(path, 'has a key that is not text: put it in quotes'));
        continue;
      }
      const at = [...path, key.value];
      if (seen.has(key.value)) faults.push(faultAt(at, 'occurs twice'));
      seen.add(key.value);
      entries.push([key.value, plain(value, at)]);
    }
    return mappingOf(entries);
  };
  return { value: plain(document.contents, []), faults };
};

const PATH_PART = /([^.[\]]+)|\[(\d+)\]/g;

/**
 * The line in which the value at a path begins, or the nearest one above it if it is absent. Undefined for a path that is not of the document.
 * @param path as in a fault, such as `merchants[0].login`
 */
export const lineOfPath = (text: string, path: string): number | undefined => {
  const lines = new LineCounter();
  const [document] = parse(text, lines);
  const parts = [...path.matchAll(PATH_PART)].map(([, key, index]) => key ?? Number(index));
  for (let length = parts.length; length > 0; length--) {
    const node = document?.getIn(parts.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
};
