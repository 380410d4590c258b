import { z } from 'zod';
import { asText } from '../reading/scalars';

/**
 * What the entries say of themselves and of each other, as far as it can be read: whatever else is wrong with the file, these are checked too, so
 * that one start tells all faults. Never fails: what has another type is `undefined` or an empty list here, and a fault of the schema.
 */
export const text = () => z.preprocess(asText, z.string().optional()).catch(undefined);
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
export const flagSaid = () => z.preprocess(asText, z.union([z.boolean(), z.string()]).optional()).catch(undefined);
const texts = () => list(text());
/** A mapping that cannot be read counts as one that says nothing. */
export const said = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isMapping(value) ? value : {}), z.object(shape));

const isMapping = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const endpoint = said({ id: text(), currency: text(), gates: texts(), callbackUrl: text() });
const merchant = said({
  login: text(),
  controlKey: text(),
  controlKeyFile: text(),
  oauthPublicKeyFile: text(),
  merchantUrl: text(),
  callback: said({ secret: text(), secretFile: text() }),
  endpoints: list(endpoint),
  groups: list(said({ id: text(), endpoints: texts() })),
});

const referencesSchema = said({
  publicBaseUrl: text(),
  pathPrefix: text(),
  egress: said({ allow: texts(), plainHttp: flagSaid() }),
  operators: list(said({ name: text(), tokenSha256: text() })),
  merchants: list(merchant),
  gates: list(said({ alias: text(), currencies: texts() })),
  bins: list(said({ bin: text() })),
});

export type References = z.output<typeof referencesSchema>;
export type MerchantReferences = References['merchants'][number];

export const referencesOf = (value: unknown): References => referencesSchema.parse(value);
