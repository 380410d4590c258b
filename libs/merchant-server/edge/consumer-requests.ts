import { ClientIdsRequest, RandomSumRequest, readDeviceBody } from '@app/gateway-protocol';
import type { ConsumerAuthentication } from '../application/consumer-authentication';
import type { ConsumerCards, InvoiceOfConsumer } from '../application/consumer-cards';
import type { IssueAccessTokenHandler } from '../application/issue-access-token.handler';
import type { InvoiceId } from '../domain/terms';
import type { InvoiceCard } from '../domain/invoice.events';
import { answered, FORBIDDEN, invalid, type MerchantServerAnswer } from './answer';
import type { MerchantServerRequest } from './request';

/** Issues an access token to an app; the port identifies the consumer (protocol decisions, section 8). */
export const requestAccessToken = async (
  consumers: ConsumerAuthentication,
  handler: IssueAccessTokenHandler,
  { product, query, header }: MerchantServerRequest,
): Promise<MerchantServerAnswer> => {
  const known = await consumers.authenticate({ product, query, header });
  switch (known.kind) {
    case 'known':
      return answered({ session: { accessToken: await handler.handle(product, known) } });
    case 'refused':
      return FORBIDDEN;
    case 'malformed':
      return invalid(known.message);
  }
};

const invoiceOf = ({ product, invoiceId = '' }: MerchantServerRequest, { consumer, session }: ClientIdsRequest): InvoiceOfConsumer => ({
  product,
  invoiceId: invoiceId as InvoiceId,
  accessToken: session.accessToken,
  serialNumber: consumer.device.serialNumber,
});

/** The id stands twice, since apps read it in one place or the other. */
const shown = (member: 'sourceCard' | 'destinationCard', card: InvoiceCard | undefined): object => {
  if (card === undefined) return {};
  const { bin, clientCardId } = card;
  return { [member]: { bin, reference: { clientCardId } }, [`${member}RefId`]: clientCardId };
};

/** Answers the ids by which an app can use the cards of an invoice again (protocol decisions, section 8). */
export const clientIds = async (cards: ConsumerCards, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const read = readDeviceBody(ClientIdsRequest, request.body);
  if ('refused' in read) return invalid(read.refused.message);
  const found = await cards.of(invoiceOf(request, read.ok));
  if (found.kind === 'forbidden') return FORBIDDEN;
  const { source, destination } = found;
  return answered({ invoiceId: request.invoiceId, ...shown('sourceCard', source), ...shown('destinationCard', destination) });
};

/** Records the random sum that the cardholder read on the statement of the card that paid this invoice: later checks with that card contain it. */
export const recordRandomSum = async (cards: ConsumerCards, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const read = readDeviceBody(RandomSumRequest, request.body);
  if ('refused' in read) return invalid(read.refused.message);
  const result = await cards.recordRandomSum(invoiceOf(request, read.ok), read.ok.transaction.randomSumCentis);
  switch (result.kind) {
    case 'recorded':
      return answered({ invoiceId: request.invoiceId });
    case 'no-card-yet':
      return invalid('no card of this invoice was mapped');
    case 'forbidden':
      return FORBIDDEN;
  }
};
