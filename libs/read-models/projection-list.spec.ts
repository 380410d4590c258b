import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Projection } from './engine/projection';
import { READ_MODELS } from './projection-list';

const FOLDER = __dirname;

const isProjection = (value: unknown): value is Projection =>
  typeof value === 'object' && value !== null && 'shape' in value && 'table' in value;

it('READ_MODELS contains every projection of the table files', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.table.ts'));
  const made = files.flatMap((file) =>
    Object.values(jest.requireActual<Readonly<Record<string, unknown>>>(join(FOLDER, file))).filter(isProjection),
  );
  const names = (projections: readonly Projection[]) => projections.map(({ name }) => name).sort();
  expect(names(made)).toStrictEqual(names(READ_MODELS));
});
