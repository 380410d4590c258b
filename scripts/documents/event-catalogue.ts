import type { CatalogueEntry, FieldEntry, FieldKind } from '@app/event-store';
import { tableRow as row } from './markdown-table';

const KINDS: Readonly<Record<FieldKind, string>> = {
  id: 'an identifier that the service made',
  'merchant-text': 'an identifier that the merchant chose',
  'gate-reference': 'a reference that a gate chose',
  hash: 'a digest, hexadecimal',
  sealed: "ciphertext under the order's key, until that key is erased",
  instant: 'milliseconds since 1970-01-01T00:00:00Z',
  int: 'a whole number',
  bigint: 'a whole number, stored as text',
  money: 'currency and minor units, the latter as text',
  bool: 'true or false',
  'one-of': 'one of a fixed set of words',
  text: 'free text, searched for card numbers before it is stored',
  list: 'a list of the members below',
  record: 'named values of the same kind',
  object: 'an object with the members below',
  tagged: 'one of several shapes, distinguished by one member',
};

const METADATA = {
  correlation: 'the serial number of the request that started the order',
  causation: 'the event or command that caused this event',
  actor: 'the authenticated actor',
  claimedActor: 'the person that an operator’s request names in addition to its token; optional',
  merchant: 'the merchant’s login',
  schemaVersion: 'the version of the data’s schema',
  recordedAt: 'milliseconds since 1970-01-01T00:00:00Z',
  previousHash: 'the hash of the previous event of the stream; null in the first event',
  stream: 'the stream of the event; events of the first releases have none',
  callerTrace: 'the trace id of the request, with `-01` if the caller samples the trace; optional',
};

const code = (text: string): string => `\`${text}\``;

const table = (fields: readonly FieldEntry[]): readonly string[] => [
  row('Field', 'Kind'),
  row('---', '---'),
  ...fields.map(({ path, kind, values, optional }) =>
    row(code(optional ? `${path}?` : path), (values.length === 0 ? [kind] : values).map(code).join(', ')),
  ),
];

const shapeOf = ({ type, version, meaning, fields }: CatalogueEntry): string => JSON.stringify([type, version, meaning, fields]);

const categoriesOf = (catalogue: readonly CatalogueEntry[]): readonly string[] => {
  const describedIn = new Map<string, string>();
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const lines: string[] = [];
  for (const category of categories) {
    const entries = catalogue.filter((one) => one.category === category);
    lines.push(`## ${category}`, '');
    const shared = new Map<string, string[]>();
    for (const entry of entries) {
      const first = describedIn.get(shapeOf(entry));
      if (first !== undefined) shared.set(first, [...(shared.get(first) ?? []), code(entry.type)]);
    }
    for (const [first, types] of shared) lines.push(`As in \`${first}\`: ${types.join(', ')}.`, '');
    for (const entry of entries.filter((one) => !describedIn.has(shapeOf(one)))) {
      describedIn.set(shapeOf(entry), category);
      lines.push(
        entry.version === 1 ? `### ${entry.type}` : `### ${entry.type}, version ${entry.version}`,
        '',
        entry.meaning,
        '',
        ...table(entry.fields),
        '',
      );
    }
  }
  return lines;
};

/** @param ofMerchantServer the events of the merchant server's separate store */
export const eventCatalogueMarkdown = (catalogue: readonly CatalogueEntry[], ofMerchantServer: readonly CatalogueEntry[]): string =>
  [
    '# Event catalogue',
    '',
    'The events in the log. `npm run docs:events` generates this page from the codecs. `npm run docs:check` fails if they differ.',
    '',
    'A stream is named `<category>-<base32 of a SHA-256>`. Data and metadata are stored as RFC 8785 text. An event has version 1 if its heading names none. A field with `?` is optional.',
    '',
    '## Metadata of every event',
    '',
    row('Member', 'Holds'),
    row('---', '---'),
    ...Object.entries(METADATA).map(([member, text]) => row(code(member), text)),
    '',
    '## Kinds of fields',
    '',
    row('Kind', 'Holds'),
    row('---', '---'),
    ...Object.entries(KINDS).map(([kind, text]) => row(code(kind), text)),
    '',
    ...categoriesOf(catalogue),
    '# The merchant server',
    '',
    'The events in a merchant server’s separate store, with the same metadata. `sealed` and `hash` use the merchant server’s key ring.',
    '',
    ...categoriesOf(ofMerchantServer),
  ].join('\n');
