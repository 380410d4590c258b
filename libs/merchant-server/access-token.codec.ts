import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { AccessTokenBound, AccessTokenEvent, AccessTokenIssued, Consumer } from './domain/access-token.events';
import type { KeyedDigest } from './domain/terms';
import { ACCESS_TOKEN_CATEGORY } from './merchant-server.stream';

export const accessTokenCodec: EventCodec<AccessTokenEvent> = eventCodec<AccessTokenEvent>(ACCESS_TOKEN_CATEGORY, {
  AccessTokenIssued: {
    version: 1,
    meaning: 'A consumer was given an access token; where nobody knows whose it is, the first device that uses it stands for its owner.',
    schema: f.object<AccessTokenIssued['data']>({
      consumer: f.optional(f.object<Consumer>({ consumer: f.hash<KeyedDigest>(), email: f.optional(f.sealed()) })),
      issuedAt: f.instant(),
      expiresAt: f.instant(),
    }),
  },
  AccessTokenBound: {
    version: 1,
    meaning: 'The token was used for the first time, and belongs to that device from then on.',
    schema: f.object<AccessTokenBound['data']>({ serialNumber: f.hash<KeyedDigest>(), boundAt: f.instant() }),
  },
});
