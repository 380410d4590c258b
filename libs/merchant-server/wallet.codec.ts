import { eventCodec, f, type EventCodec } from '@app/event-store';
import { CARD_USES, type ClientCardId, type KeyedDigest } from './domain/terms';
import type { CardNamed, CardReferenceRenewed, RandomSumTold, RecordedSum, WalletEvent } from './domain/wallet.events';
import { WALLET_CATEGORY } from './merchant-server.stream';

export const walletCodec: EventCodec<WalletEvent> = eventCodec<WalletEvent>(WALLET_CATEGORY, {
  CardNamed: {
    version: 1,
    meaning: "A consumer's card got a name that the app keeps in place of it.",
    schema: f.object<CardNamed['data']>({
      clientCardId: f.id<ClientCardId>(),
      use: f.oneOf(...CARD_USES),
      uniqueReferenceCardId: f.gateReference(),
      bin: f.int(),
      serverCardId: f.gateReference(),
      email: f.optional(f.sealed()),
      mappedAt: f.instant(),
    }),
  },
  CardReferenceRenewed: {
    version: 1,
    meaning: 'The card was used again by its number: the newer reference takes the place of the older one.',
    schema: f.object<CardReferenceRenewed['data']>({
      clientCardId: f.id<ClientCardId>(),
      serverCardId: f.gateReference(),
      email: f.optional(f.sealed()),
      mappedAt: f.instant(),
    }),
  },
  RandomSumTold: {
    version: 2,
    meaning: "The cardholder read a random sum on the card's statement; later checks with that card carry it.",
    schema: f.object<RandomSumTold['data']>({
      clientCardId: f.id<ClientCardId>(),
      sum: f.optional(f.object<RecordedSum>({ digest: f.hash<KeyedDigest>(), sealed: f.sealed() })),
      toldAt: f.instant(),
    }),
    upcasts: { 1: ({ randomSumCentis: _, ...event }) => event },
  },
});
