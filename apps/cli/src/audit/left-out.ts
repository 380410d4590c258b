/** What the rows of an answer leave out, as the operator port names it, in every format. */
export const leftOutOf = (headers: Headers): readonly string[] => headers.get('Audit-Left-Out')?.split(', ') ?? [];
