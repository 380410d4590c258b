import { createHash } from 'node:crypto';
import { escapeHtml, htmlPage, type JsonSchema } from '@app/gateway-protocol';
import type { OpenApi, Operation, Parameter } from './open-api';

const STYLE =
  'body{font:15px/1.5 sans-serif;margin:2em auto;max-width:70em;padding:0 1em}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}code{font-family:monospace}details{margin:.4em 0}';

/** Content-Security-Policy of the page: its own style and nothing else. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const resolved = ({ components }: OpenApi, schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {});

const limitsOf = ({ maxLength, pattern, format, enum: values, description }: JsonSchema): string =>
  [
    ...(values === undefined ? [] : [values.map(String).join(', ')]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [pattern]),
    ...(format === undefined ? [] : [format]),
    ...(description === undefined ? [] : [description]),
  ].join('; ');

const row = (...cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>\n`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<table>\n<tr>${head.map((cell) => `<th>${escapeHtml(cell)}</th>`).join('')}</tr>\n${rows.join('')}</table>\n`;

/** With what an object holds, by its path. */
const fieldRows = (document: OpenApi, schema: JsonSchema, parent = ''): readonly string[] => {
  const { properties = {}, required = [] } = resolved(document, schema);
  return Object.entries(properties).flatMap(([name, given]) => {
    const field = resolved(document, given);
    const path = parent + name;
    return [row(path, required.includes(name) ? 'yes' : 'no', limitsOf(field)), ...fieldRows(document, field, `${path}.`)];
  });
};

const parameterRow = ({ name, in: place, required, schema, description = '' }: Parameter): string =>
  row(name, place, required ? 'yes' : 'no', [description, limitsOf(schema)].filter((text) => text !== '').join('; '));

const operationHtml = (document: OpenApi, method: string, path: string, operation: Operation): string => {
  const { summary, parameters = [], requestBody, responses } = operation;
  const body = Object.entries(requestBody?.content ?? {})
    .map(
      ([type, { schema }]) =>
        `<p>Body: <code>${escapeHtml(type)}</code></p>\n${table(['Field', 'Required', 'Limits'], fieldRows(document, schema))}`,
    )
    .join('');
  const answers = Object.entries(responses).map(([status, { description }]) => row(status, description));
  return (
    `<details><summary><code>${escapeHtml(`${method.toUpperCase()} ${path}`)}</code> ${escapeHtml(summary)}</summary>\n` +
    `${table(['Parameter', 'In', 'Required', 'What'], parameters.map(parameterRow))}${body}${table(['Status', 'Answer'], answers)}</details>\n`
  );
};

/** The documents for people: plain HTML, no script. */
export const docsPage = (documents: readonly { readonly file: string; readonly document: OpenApi }[]): string =>
  htmlPage(
    'API documents',
    `<style>${STYLE}</style>\n`,
    documents
      .map(({ file, document }) => {
        const { title, description } = document.info;
        const [server] = document.servers;
        const operations = Object.entries(document.paths).flatMap(([path, item]) =>
          Object.entries(item).map(([method, operation]) => operationHtml(document, method, path, operation)),
        );
        return `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(description)} Below <code>${escapeHtml(server?.url ?? '')}</code>. OpenAPI: <a href="docs/${escapeHtml(file)}">${escapeHtml(file)}</a></p>\n${operations.join('')}`;
      })
      .join(''),
  );
