import type { DeviceSession, Source } from '@app/device-client';
import type { TransferFee } from '@app/gateway-protocol';
import { Secret } from '@app/kernel';
import { cardInHand, RECEIVING_CARD, type ApprovedRun, type DeviceVisit } from './device-visit';

export const arrive = async (device: DeviceVisit): Promise<DeviceSession> => {
  device.visit.report.step(
    'A device verifies a card',
    `Three programs from here on: an app, the merchant server at ${device.addresses.merchantUrl}, the gateway. The app takes an invoice there, and acts on it here.`,
  );
  return device.signIn();
};

export const verifyCard = (device: DeviceVisit, session: DeviceSession): Promise<ApprovedRun> =>
  device.approved(session, { operation: 'verification', currency: 'USD', email: device.email, card: cardInHand() });

export const payWithCard = async (device: DeviceVisit, session: DeviceSession, clientCardId: string): Promise<ApprovedRun> => {
  device.visit.report.step('A device buys', 'The same way with an amount. The gateway asks the merchant server before it asks a gate.');
  const bought = await device.approved(session, device.sale({ card: cardInHand() }, 1_042n));
  device.visit.claim('a card keeps its name', bought.cards.sourceCard?.reference.clientCardId === clientCardId);
  return bought;
};

export const payByReference = async (device: DeviceVisit, session: DeviceSession, clientCardId: string): Promise<void> => {
  device.visit.report.step(
    'It buys again, by reference',
    'No card data leaves the device: the merchant server tells the gateway which card the name means.',
  );
  const bought = await device.approved(session, device.sale({ reference: { clientCardId } }, 550n));
  device.visit.claim('it is the same card', bought.cards.sourceCard?.reference.clientCardId === clientCardId);
};

export const transferBetweenCards = async (device: DeviceVisit, session: DeviceSession, source: Source): Promise<ApprovedRun> => {
  device.visit.report.step(
    'Money from card to card',
    'Endpoint 1004 lets the consumer choose among the fees of its gates; nothing moves before.',
  );
  const chosen: TransferFee[] = [];
  const moved = await device.approved(
    session,
    {
      operation: 'transfer',
      currency: 'USD',
      email: device.email,
      amountCentis: 25_000n,
      source,
      destination: { card: { number: new Secret(RECEIVING_CARD) } },
      toBin: RECEIVING_CARD.slice(0, 6),
    },
    {
      chooseFee: (fees) => {
        device.visit.claim('two fees are offered', fees.length === 2);
        const cheapest = fees.reduce((least, fee) => (fee.commissionCentis < least.commissionCentis ? fee : least));
        chosen.push(cheapest);
        return cheapest;
      },
    },
  );
  const commissionCentis = 'transaction' in moved.status ? moved.status.transaction.commissionCentis : undefined;
  device.visit.claim('the fee is the one chosen', commissionCentis !== undefined && commissionCentis === chosen[0]?.commissionCentis);
  device.visit.claim('the card that received has a name too', moved.cards.destinationCard !== undefined);
  return moved;
};

export const forgeAmount = async (device: DeviceVisit, session: DeviceSession): Promise<void> => {
  device.visit.report.step('A wrong signature', 'Somebody changes the amount that the merchant server signed.');
  const signedFor = await session.initiate(device.sale({ card: cardInHand() }, 1_042n));
  device.visit.claim('an invoice of 10.42 is open', signedFor.kind === 'answered');
  const refused = await session.perform(device.sale({ card: cardInHand() }, 42n), signedFor.value);
  device.visit.claim('the gateway refuses 0.42 on it', refused.kind === 'refused' && refused.cause === 'INVALID_REQUEST');
};
