/** Causes of the port that name a state, in words for people. Others are sentences already. */
const CAUSES: Readonly<Record<string, string>> = {
  'closed-before': 'The case is closed already',
  'decided-before': 'The proposal is decided already',
  'erased-before': 'It is erased already',
  'flight-not-over': 'The gate may still answer: the longest time of its call is not over',
  'not-approved': 'The proposal is not approved',
  'not-held': 'The order is not held',
  'not-parked': 'The stream is not parked',
  'nothing-new': 'This changes nothing',
  'nothing-to-apply': 'There is nothing to apply',
  'nothing-to-resolve': 'The outcome is not unknown',
  'order-moved': 'The order has changed meanwhile: load it again',
  'still-parked': 'The stream still cannot be read: remove the cause first',
  'takes-no-inquiries': 'The gate cannot be asked',
  'under-legal-hold': 'The order is under legal hold',
  'under-way': 'It is already under way',
  'unknown-case': 'There is no such case',
  'unknown-order': 'There is no such order, or the lists do not have it yet',
};

export const refusalText = (cause: string): string => CAUSES[cause] ?? cause;
