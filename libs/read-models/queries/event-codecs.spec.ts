import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MERCHANT_SERVER_EVENT_CODECS } from '@app/merchant-server';
import { EVENT_CODECS } from './event-codecs';

const LIBS = join(__dirname, '../..');

const codecFiles = (): readonly string[] =>
  readdirSync(LIBS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join(LIBS, file))
    .filter((file) => readFileSync(file, 'utf8').includes(' = eventCodec<'));

const categoriesOf = (file: string): readonly string[] =>
  Object.values(jest.requireActual<Readonly<Record<string, unknown>>>(file)).flatMap((value) =>
    typeof value === 'object' && value !== null && 'describe' in value && 'category' in value ? [String(value.category)] : [],
  );

it('EVENT_CODECS and MERCHANT_SERVER_EVENT_CODECS list every event codec in libs', () => {
  const listed = [...EVENT_CODECS, ...MERCHANT_SERVER_EVENT_CODECS].map(({ category }) => category);
  const made = codecFiles().flatMap(categoriesOf);
  expect([...made].sort()).toStrictEqual([...listed].sort());
});
