import { at, BODY_NAMES, classOf, pathsOf, read, refusal, sampleOf, shown, withValue, type BodyName } from '../../testing/device-samples';

/** By the interface's section. A path includes everything below it. */
const MANDATORY: Readonly<Record<BodyName, { readonly section: string; readonly must: string; readonly may: string }>> = {
  InitiateVerificationRequest: {
    section: '4.4',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken transaction transaction.currency',
    may: 'consumer.device.imei consumer.ipAddresses location location.lat location.lng',
  },
  InitiateSaleRequest: {
    section: '4.4',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken transaction transaction.currency transaction.amountCentis',
    may: 'consumer.device.imei consumer.ipAddresses location location.lat location.lng',
  },
  InitiateTransferRequest: {
    section: '4.4',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken transaction transaction.currency transaction.amountCentis',
    may: 'consumer.device.imei consumer.ipAddresses location location.lat location.lng fromBin toBin transaction.fromBin transaction.toBin',
  },
  InitiateResponse: { section: '4.4', must: 'endpointId invoiceId session session.nonce session.signature', may: '' },
  InitiateTransferResponse: {
    section: '4.4',
    must: 'endpointId invoiceId session session.nonce session.signature',
    may: 'rates rates.min rates.max',
  },
  PerformVerificationRequest: {
    section: '4.5',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature transaction ' +
      'transaction.currency sourceCard sourceCard.expiry sourceCard.expiry.month sourceCard.expiry.year sourceCard.holder sourceCard.number ' +
      'sourceCard.securityCode',
    may:
      'consumer.device.imei consumer.ipAddresses consumer.email consumer.birthDay location location.lat location.lng billing billing.address billing.address.city ' +
      'billing.address.country billing.address.postcodeZip billing.address.state billing.address.street billing.address.street2 billing.phone order ' +
      'order.description order.siteUrl order.purpose sourceCard.holder.firstName sourceCard.holder.lastName sourceCard.holder.printedName',
  },
  PerformSaleRequest: {
    section: '4.5',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature transaction ' +
      'transaction.currency transaction.amountCentis sourceOfFunds sourceOfFunds.card.expiry sourceOfFunds.card.expiry.month ' +
      'sourceOfFunds.card.expiry.year sourceOfFunds.card.holder sourceOfFunds.card.number sourceOfFunds.card.securityCode',
    may:
      'consumer.device.imei consumer.ipAddresses consumer.email consumer.birthDay location location.lat location.lng billing billing.address billing.address.city ' +
      'billing.address.country billing.address.postcodeZip billing.address.state billing.address.street billing.address.street2 billing.phone order ' +
      'order.description order.siteUrl order.purpose sourceOfFunds.card.holder.firstName sourceOfFunds.card.holder.lastName ' +
      'sourceOfFunds.card.holder.printedName',
  },
  PerformTransferRequest: {
    section: '4.5',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature transaction ' +
      'transaction.currency transaction.amountCentis sourceOfFunds sourceOfFunds.reference.clientCardId destinationOfFunds destinationOfFunds.card.number',
    may:
      'consumer.device.imei consumer.ipAddresses consumer.email consumer.birthDay location location.lat location.lng billing billing.address billing.address.city ' +
      'billing.address.country billing.address.postcodeZip billing.address.state billing.address.street billing.address.street2 billing.phone order ' +
      'order.description order.siteUrl order.purpose sourceOfFunds.reference.securityCode',
  },
  SessionRequest: { section: '4.2', must: 'session session.accessToken session.token', may: '' },
  AcceptedResponse: { section: '4.5', must: 'invoiceId session session.token', may: '' },
  CheckVerificationRequest: {
    section: '4.6',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature session.token',
    may: '',
  },
  CheckSaleRequest: {
    section: '4.6',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature session.token ' +
      'sourceOfFunds.reference.clientCardId',
    may: 'sourceOfFunds sourceOfFunds.reference',
  },
  CheckTransferRequest: {
    section: '4.6',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.nonce session.signature session.token ' +
      'sourceOfFunds.reference.clientCardId destinationOfFunds.reference.clientCardId',
    may: 'sourceOfFunds sourceOfFunds.reference destinationOfFunds destinationOfFunds.reference',
  },
  CheckVerificationResponse: {
    section: '4.6',
    must: 'invoiceId session session.checkSignature session.nonce session.token',
    may:
      'transaction transaction.currency transaction.randomSumCentis billing billing.address billing.address.city billing.address.country ' +
      'billing.address.postcodeZip billing.address.state billing.address.street billing.address.street2 billing.phone consumer consumer.email ' +
      'consumer.birthDay consumer.ipAddresses',
  },
  CheckSaleResponse: {
    section: '4.6',
    must:
      'invoiceId session session.checkSignature session.nonce session.token sourceOfFunds.reference.serverCardId sourceOfFunds.card.expiry.month ' +
      'sourceOfFunds.card.expiry.year',
    may:
      'transaction transaction.currency transaction.randomSumCentis consumer consumer.email sourceOfFunds sourceOfFunds.reference sourceOfFunds.card ' +
      'sourceOfFunds.card.expiry sourceOfFunds.card.holder sourceOfFunds.card.holder.firstName sourceOfFunds.card.holder.lastName ' +
      'sourceOfFunds.card.holder.printedName sourceOfFunds.card.number',
  },
  CheckTransferResponse: {
    section: '4.6',
    must:
      'invoiceId session session.checkSignature session.nonce session.token sourceOfFunds.reference.serverCardId sourceOfFunds.card.expiry.month ' +
      'sourceOfFunds.card.expiry.year destinationOfFunds.card.number destinationOfFunds.reference.serverCardId',
    may:
      'transaction transaction.currency transaction.randomSumCentis consumer consumer.email sourceOfFunds sourceOfFunds.reference sourceOfFunds.card ' +
      'sourceOfFunds.card.expiry sourceOfFunds.card.holder sourceOfFunds.card.holder.firstName sourceOfFunds.card.holder.lastName ' +
      'sourceOfFunds.card.holder.printedName sourceOfFunds.card.number destinationOfFunds destinationOfFunds.card destinationOfFunds.reference',
  },
  VerificationStatusResponse: {
    section: '4.7',
    must: 'invoiceId session session.token bankOrderId state',
    may: 'redirectUrl errorCode errorMessage secure3DAuthStatus randomSumAuthStatus',
  },
  SaleStatusResponse: {
    section: '4.7',
    must:
      'invoiceId session session.token bankOrderId state orderId transaction transaction.amountCentis transaction.orderCreatedDate ' +
      'transaction.transactionCreatedDate',
    may: 'redirectUrl errorCode errorMessage secure3DAuthStatus randomSumAuthStatus transaction.currency transaction.commissionCentis',
  },
  TransferStatusResponse: {
    section: '4.7',
    must:
      'invoiceId session session.token state orderId transaction transaction.amountCentis transaction.orderCreatedDate ' +
      'transaction.transactionCreatedDate transferFeeList.0.assignedId transferFeeList.0.commissionCentis transferFeeList.0.currency',
    may:
      'bankOrderId redirectUrl errorCode errorMessage secure3DAuthStatus randomSumAuthStatus transaction.currency transaction.commissionCentis ' +
      'transferFeeList',
  },
  VerificationNotification: {
    section: '4.8',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.token reference reference.serverCardId ' +
      'reference.uniqueReferenceCardId sourceCard sourceCard.bin',
    may: 'session.nonce',
  },
  SaleNotification: {
    section: '4.8',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.token sourceCard.bin sourceCard.reference ' +
      'sourceCard.reference.serverCardId sourceCard.reference.uniqueReferenceCardId',
    may: 'session.nonce sourceCard',
  },
  TransferNotification: {
    section: '4.8',
    must:
      'consumer consumer.device consumer.device.serialNumber session session.accessToken session.token sourceCard.bin sourceCard.reference ' +
      'sourceCard.reference.serverCardId sourceCard.reference.uniqueReferenceCardId destinationCard.bin destinationCard.reference ' +
      'destinationCard.reference.serverCardId destinationCard.reference.uniqueReferenceCardId',
    may: 'session.nonce sourceCard destinationCard',
  },
  NotificationResponse: { section: '4.8', must: 'invoiceId session session.checkSignature session.nonce session.token', may: '' },
  ClientIdsRequest: {
    section: 'decisions 8',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken',
    may: '',
  },
  RandomSumRequest: {
    section: 'decisions 7',
    must: 'consumer consumer.device consumer.device.serialNumber session session.accessToken transaction transaction.randomSumCentis',
    may: '',
  },
  RandomSumResponse: { section: 'decisions 7', must: 'invoiceId', may: '' },
  ClientIdsResponse: {
    section: 'decisions 8',
    must:
      'invoiceId sourceCard.bin sourceCard.reference sourceCard.reference.clientCardId destinationCard.bin destinationCard.reference ' +
      'destinationCard.reference.clientCardId',
    may: 'sourceCard destinationCard sourceCardRefId destinationCardRefId',
  },
  AccessTokenResponse: { section: 'decisions 8', must: 'session session.accessToken', may: '' },
  MerchantErrorResponse: { section: '7.2', must: 'error error.cause error.code error.message', may: 'invoiceId' },
  PerformErrorResponse: { section: '7.2', must: 'error error.cause error.code error.message', may: 'invoiceId' },
  StatusErrorResponse: { section: '7.2', must: 'error error.cause error.code error.message', may: 'invoiceId' },
};
const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');
/** Alternatives: a missing choice is refused at the parent (section 4.5). */
const CHOICES = ['sourceOfFunds.card', 'sourceOfFunds.reference', 'destinationOfFunds.card', 'destinationOfFunds.reference'];
const isChoice = (name: BodyName, path: string): boolean => /^Perform/.test(name) && CHOICES.includes(path);

describe.each(BODY_NAMES)('%s', (name) => {
  const { section, must, may } = MANDATORY[name];
  const sample = sampleOf(name);

  it(`interface, section ${section}: keeps exactly these members and drops every other [W85-91, W93-97, W102, W104-115, W117-127, W129-132, W389, W413, W435]`, () => {
    const answer = read(name, sample);
    expect('ok' in answer && shown(answer.ok)).toStrictEqual(sample);
    expect('ok' in answer && answer.ok).toBeInstanceOf(classOf(name));
    const paths = pathsOf(classOf(name), sample);
    expect(paths.filter((path) => !isChoice(name, path)).toSorted()).toStrictEqual([...words(must), ...words(may)].toSorted());

    const objects = ['', ...paths].filter((path) => {
      const value = path === '' ? sample : at(sample, path);
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    });
    const crowded = objects.reduce<unknown>(
      (json, path) => withValue(json, path === '' ? 'stranger' : `${path}.stranger`, { a: [1] }),
      sample,
    );
    const taken = read(name, crowded);
    expect('ok' in taken && shown(taken.ok)).toStrictEqual(sample);
  });

  it.each(words(must))(
    `interface, section ${section}: %s is required [W75, W85, W87-89, W93, W95-97, W100, W102, W104, W107, W117, W123, W124, W126, W129, W132, W148]`,
    (path) => {
      for (const nothing of [undefined, null]) {
        expect(read(name, withValue(sample, path, nothing))).toStrictEqual(refusal(path, 'is required'));
      }
    },
  );

  if (may !== '')
    it.each(words(may))(
      `interface, section ${section}: %s is optional, and null means absent [W86, W90, W91, W94, W105, W106, W108-115, W119-122, W125, W130, W131, W402]`,
      (path) => {
        for (const nothing of [undefined, null]) {
          const answer = read(name, withValue(sample, path, nothing));
          expect('ok' in answer && shown(answer.ok)).toStrictEqual(withValue(sample, path, undefined));
        }
      },
    );

  it(`interface, section ${section}: refuses every member of another type`, () => {
    const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
    for (const path of pathsOf(classOf(name), sample)) {
      for (const wrong of ['12', 12, true, {}, []] as const) {
        if (kindOf(wrong) === kindOf(at(sample, path))) continue;
        const message = expect.stringMatching(/^\S+ must /) as unknown as string;
        expect([path, wrong, read(name, withValue(sample, path, wrong))]).toEqual([path, wrong, { refused: { field: path, message } }]);
      }
    }
  });
});
