import { z } from 'zod';
import { asText } from '../reading/scalars';

/** Checked even if the file has other faults, so that one start reports all of them. Values of another type are ignored, because the schema reports them. */
export const text = () => z.preprocess(asText, z.string().optional()).catch(undefined);
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
export const readableFlag = () => z.preprocess(asText, z.union([z.boolean(), z.string()]).optional()).catch(undefined);
const texts = () => list(text());
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
  formerControlKey: readable({ key: text(), keyFile: text(), notAfter: text() }),
  oauthPublicKeyFile: text(),
  merchantUrl: text(),
  callback: readable({
    secret: text(),
    secretFile: text(),
    formerSecret: readable({ secret: text(), secretFile: text(), notAfter: text() }),
  }),
  endpoints: list(endpoint),
  groups: list(readable({ id: text(), endpoints: texts() })),
});

const referencesSchema = readable({
  publicBaseUrl: text(),
  pathPrefix: text(),
  egress: readable({ allow: texts(), plainHttp: readableFlag() }),
  operators: list(readable({ name: text(), tokenSha256: text(), merchants: texts() })),
  signIn: readable({
    issuer: text(),
    clientId: text(),
    clientSecretFile: text(),
    groups: list(readable({ group: text(), merchants: texts() })),
  }),
  merchants: list(merchant),
  gates: list(readable({ alias: text(), adapter: text(), currencies: texts(), allowInProduction: readableFlag() })),
  bins: list(readable({ bin: text() })),
});

export type References = z.output<typeof referencesSchema>;
export type MerchantReferences = References['merchants'][number];

export const referencesOf = (value: unknown): References => referencesSchema.parse(value);
