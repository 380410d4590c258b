export type Present<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** Copies without undefined members. Faster than one spread per optional member, which matters on the request path. */
export const present = <const Members extends object>(members: Members): Present<Members> => {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = (members as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) found[name] = value;
  }
  return found as Present<Members>;
};
