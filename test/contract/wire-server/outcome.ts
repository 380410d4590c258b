const written = (value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

const FIELDS = ['type', 'code', 'expectedVersion', 'actualVersion', 'streamName', 'groupName', 'maxAppendSize'];
const TIMES_AND_PLACES: readonly (readonly [RegExp, string])[] = [
  [/\d+(\.\d+)?s\b/g, '<t>s'],
  [/remote_addr=[^,]*/g, 'remote_addr=<host>'],
  // Duration of each step before the call; the named steps vary between runs.
  [/(?<=Deadline exceeded after <t>s).*(?=,remote_addr)/, ''],
];

export const shownError = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) throw new Error(`not an error: ${String(error)}`);
  const fields = FIELDS.map((name) => [name, written((error as unknown as Record<string, unknown>)[name])] as const);
  const message = TIMES_AND_PLACES.reduce((text, [pattern, instead]) => text.replace(pattern, instead), error.message);
  return {
    ok: false,
    error: error.constructor.name,
    message,
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
  };
};

export const outcomeOf = async (call: Promise<Readonly<Record<string, unknown>>>): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return { ok: true, ...(await call) };
  } catch (error) {
    return shownError(error);
  }
};
