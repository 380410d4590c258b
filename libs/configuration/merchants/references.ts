import { z } from 'zod';
import { asText } from '../reading/scalars';

/**
 * The ids of entries and their references to each other, as far as they can be read: they are checked whatever else is wrong with the file, so
 * that one start reports all faults. Parsing never fails: a value of another type is `undefined` or an empty list here, and a fault of the schema.
 */
export const text = () => z.preprocess(asText, z.string().optional()).catch(undefined);
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
export const readableFlag = () => z.preprocess(asText, z.union([z.boolean(), z.string()]).optional()).catch(undefined);
const texts = () => list(text());
/** A mapping that cannot be read counts as an empty one. */
export const readable = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isMapping(value) ? value : {}), z.object(shape));

const isMapping = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const routingRule = readable({
  name: text(),
  then: readable({ cascade: texts(), split: list(readable({ gate: text() })), leastCommission: texts() }),
});
const endpoint = readable({ id: text(), currency: text(), gates: texts(), callbackUrl: text(), routing: list(routingRule) });
const merchant = readable({
  login: text(),
  controlKey: text(),
  controlKeyFile: text(),
  oauthPublicKeyFile: text(),
  merchantUrl: text(),
  callback: readable({ secret: text(), secretFile: text() }),
  endpoints: list(endpoint),
  groups: list(readable({ id: text(), endpoints: texts() })),
});

const referencesSchema = readable({
  publicBaseUrl: text(),
  pathPrefix: text(),
  egress: readable({ allow: texts(), plainHttp: readableFlag() }),
  operators: list(readable({ name: text(), tokenSha256: text() })),
  merchants: list(merchant),
  gates: list(readable({ alias: text(), adapter: text(), currencies: texts(), allowInProduction: readableFlag() })),
  bins: list(readable({ bin: text() })),
});

export type References = z.output<typeof referencesSchema>;
export type MerchantReferences = References['merchants'][number];

export const referencesOf = (value: unknown): References => referencesSchema.parse(value);
