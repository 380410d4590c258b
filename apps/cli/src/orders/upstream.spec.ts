import { agreementOf, standingAfter, type AttemptStanding } from './upstream';

it.each<[string, object, AttemptStanding | undefined]>([
  ['AttemptStarted', {}, 'not answered yet'],
  ['AttemptApproved', {}, 'approved'],
  ['AttemptDeclined', {}, 'declined'],
  ['AttemptNotAsked', {}, 'nothing charged'],
  ['AttemptUnknown', {}, 'unknown'],
  ['PayerChallenged', {}, 'payer awaited'],
  ['AttemptSettled', { as: 'approved' }, 'approved'],
  ['AttemptSettled', { as: 'declined' }, 'declined'],
  ['LateResultConflict', {}, undefined],
  ['OrderApproved', {}, undefined],
])('after %s %j the attempt status is %s', (type, data, standing) => {
  expect(standingAfter(type, data)).toBe(standing);
});

it.each<[AttemptStanding, string | undefined, string, string]>([
  ['approved', 'approved', 'good', 'approved here, approved there'],
  ['approved', 'declined', 'bad', 'approved here, declined there: they differ'],
  ['approved', undefined, 'bad', 'approved here, no such order there: they differ'],
  ['declined', 'declined', 'plain', 'declined here, declined there'],
  ['declined', 'filtered', 'plain', 'declined here, filtered there'],
  ['declined', 'approved', 'bad', 'declined here, approved there: they differ'],
  ['nothing charged', undefined, 'plain', 'nothing charged here, no such order there'],
  ['nothing charged', 'approved', 'bad', 'nothing charged here, approved there: they differ'],
  ['unknown', 'unknown', 'waiting', 'unknown here, unknown there'],
  ['unknown', 'approved', 'waiting', 'unknown here, approved there: the next inquiry brings it here'],
  ['payer awaited', 'declined', 'waiting', 'payer awaited here, declined there: the next inquiry brings it here'],
  ['not answered yet', undefined, 'waiting', 'not answered yet here, no such order there'],
])('compares an attempt that is %s here with an order that is %s at the upstream, in the tone %s', (here, there, tone, text) => {
  expect(agreementOf(here, there)).toStrictEqual({ text, tone });
});
