import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import fc from 'fast-check';
import { newOperatorToken, OPERATOR_ROLES, sha256OfToken, type OperatorRole } from '@app/configuration';
import { OperatorAccess, LEAST_ROLES, type OperatorRequestName } from '@app/investigation';
import { OperatorGuard, OperatorRequest } from './operator.guard';
import type { SessionCookies } from './session-cookies';

const TOKENS = Object.fromEntries(OPERATOR_ROLES.map((role) => [role, newOperatorToken()])) as Record<OperatorRole, string>;
const OPERATORS = OPERATOR_ROLES.map((role) => ({ name: `one-${role}`, role, tokenSha256: sha256OfToken(TOKENS[role]) }));
const REQUESTS = Object.keys(LEAST_ROLES) as OperatorRequestName[];

const openAccess = (operators = OPERATORS) => {
  const refusals: unknown[] = [];
  const access = new OperatorAccess(() => operators, { refused: (cause, by) => refusals.push([cause, by?.actor]) });
  return { access, refusals };
};

it('allows each role its requests and the requests of every lower role', () => {
  const { access } = openAccess();
  const allowed = (role: OperatorRole) => REQUESTS.filter((wanted) => 'operator' in access.admit(`Bearer ${TOKENS[role]}`, wanted));
  // The role of each request is in the matrix of `test/contract/operator-merchants.contract-spec.ts`.
  for (const [index, role] of OPERATOR_ROLES.entries())
    expect(allowed(role)).toStrictEqual(REQUESTS.filter((wanted) => OPERATOR_ROLES.indexOf(LEAST_ROLES[wanted]) <= index));
  expect(allowed('admin')).toStrictEqual(REQUESTS);
});

it('identifies the operator by token and records a refusal by role with that operator', () => {
  const { access, refusals } = openAccess();
  expect(access.admit(`bearer ${TOKENS.viewer}`, 'list-unknown')).toMatchObject({ operator: { name: 'one-viewer' } });
  expect(access.admit(`Bearer ${TOKENS.viewer}`, 'settle-unknown')).toStrictEqual({
    refused: { status: 403, error: 'settle-unknown needs the role operator, and this operator has viewer' },
  });
  expect(refusals).toStrictEqual([['role', 'operator:one-viewer']]);
});

it('admits the token of a removed operator no longer, and that of an added one', () => {
  let operators = OPERATORS.slice(0, 1);
  const access = new OperatorAccess(() => operators, { refused: () => undefined });
  const isAdmitted = (role: OperatorRole) => 'operator' in access.admit(`Bearer ${TOKENS[role]}`, 'list-gates');
  expect([isAdmitted('viewer'), isAdmitted('admin')]).toStrictEqual([true, false]);
  operators = OPERATORS.slice(-1);
  expect([isAdmitted('viewer'), isAdmitted('admin')]).toStrictEqual([false, true]);
});

it('returns the same 401 for every request without a valid token', () => {
  const { access, refusals } = openAccess();
  const good = TOKENS.admin;
  const given = [undefined, '', 'Bearer', 'Bearer ', good, `Basic ${good}`, `Bearer ${good}x`, `Bearer ${good.slice(1)}`, `Bearer ${good} `,
    `Bearer ${good} ${good}`, `Bearer ${good.toUpperCase()}`, `Bearer ${sha256OfToken(good)}`, `Bearer ${'x'.repeat(8_000)}`]; // prettier-ignore
  const answers = given.map((authorization) => access.admit(authorization, 'list-unknown'));
  for (const answer of answers)
    expect(answer).toStrictEqual({ refused: { status: 401, error: 'a valid operator token or session is required' } });
  expect(refusals).toStrictEqual(given.map(() => ['credentials', undefined]));
});

it('admits no arbitrary text as a token, and no token if no operators are configured', () => {
  const { access } = openAccess([]);
  expect(access.admit(`Bearer ${TOKENS.admin}`, 'list-unknown')).toHaveProperty('refused');
  const { access: withOperators } = openAccess();
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...REQUESTS), (text, wanted) => {
      expect(withOperators.admit(`Bearer ${text}`, wanted)).toHaveProperty('refused');
    }),
  );
});

it.each([
  ['1000000001', [{ operation: 'show-order', orderId: '1000000001', status: 200 }]],
  ['jane@example.com', []],
])('logs a request about the order %s only if it is an order id', (orderId, expected) => {
  const lines: object[] = [];
  const access = { admit: () => ({ operator: { name: 'jane', role: 'operator' } }) } as unknown as OperatorAccess;
  const guard = new OperatorGuard(access, { served: (request) => lines.push(request) }, {} as SessionCookies);
  class Route {
    @OperatorRequest('show-order')
    order(): void {
      return undefined;
    }
  }
  const response = Object.assign(new EventEmitter(), { statusCode: 200 });
  const context = {
    getHandler: () => Object.getOwnPropertyDescriptor(Route.prototype, 'order')?.value as object,
    switchToHttp: () => ({ getRequest: () => ({ headers: {}, params: { orderId } }), getResponse: () => response }),
  } as unknown as ExecutionContext;
  expect(guard.canActivate(context)).toBe(true);
  response.emit('finish');
  expect(lines).toMatchObject(expected);
  expect(lines).toHaveLength(expected.length);
});
