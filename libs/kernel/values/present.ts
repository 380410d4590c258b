/** The same members without `undefined`: one that may be undefined is optional. */
export type Present<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/**
 * A copy without the members that are undefined: an absent optional member has no key. A spread for each member that may be absent costs several times
 * as much, which counts where every request makes such objects.
 */
export const present = <const Members extends object>(members: Members): Present<Members> => {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = (members as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) found[name] = value;
  }
  return found as Present<Members>;
};
