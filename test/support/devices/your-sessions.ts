/** The part that the merchant server's page leaves to the reader: a product's own login. This one knows one consumer. */
export const yourSessions = {
  userOf: (authorization: string | undefined): Promise<{ readonly id: string; readonly email: string } | undefined> =>
    Promise.resolve(authorization === 'Bearer jane' ? { id: 'user-1', email: 'jane@example.com' } : undefined),
};
