import { deciderSpec } from '@app/testing';
import { digest, later, NOW } from '../testing/sample-merchant-server';
import { accessToken, type UseAccessToken, type AccessTokenBound, type AccessTokenIssued } from './access-token';
import { ACCESS_TOKEN_LIFE_MS } from './terms';

const { given } = deciderSpec(accessToken);
const issued: AccessTokenIssued = { type: 'AccessTokenIssued', data: { issuedAt: NOW, expiresAt: later(3_600_000) } };
const bound = (serial = 'SN-1'): AccessTokenBound => ({
  type: 'AccessTokenBound',
  data: { serialNumber: digest(serial), boundAt: later(1) },
});
const use = (serial: string, afterMs = 1): UseAccessToken => ({
  type: 'UseAccessToken',
  data: { serialNumber: digest(serial), now: later(afterMs) },
});

describe('an access token (protocol decisions, section 8)', () => {
  it('is valid for 60 minutes [W412]', () => {
    expect(ACCESS_TOKEN_LIFE_MS).toBe(3_600_000);
    given()
      .when({ type: 'IssueAccessToken', data: { now: NOW } })
      .then(issued);
  });

  it('records its consumer if the product identifies one', () => {
    const consumer = { consumer: digest('john') };
    given()
      .when({ type: 'IssueAccessToken', data: { now: NOW, consumer } })
      .then({ ...issued, data: { ...issued.data, consumer } });
  });

  it('is never issued twice', () => {
    given(issued)
      .when({ type: 'IssueAccessToken', data: { now: NOW } })
      .thenRejected({ reason: 'token-given-before' });
  });

  it('is bound to the first device that uses it [W411]', () => {
    given(issued).when(use('SN-1')).then(bound());
    given(issued, bound()).when(use('SN-1', 2)).thenRejected({ reason: 'nothing-new' });
    given(issued, bound()).when(use('SN-2', 2)).thenRejected({ reason: 'other-device' });
  });

  it('is rejected as unknown if it was never issued', () => given().when(use('SN-1')).thenRejected({ reason: 'unknown-token' }));

  it('expires whether bound to a device or not', () => {
    given(issued).when(use('SN-1', ACCESS_TOKEN_LIFE_MS)).thenRejected({ reason: 'token-expired' });
    given(issued, bound()).when(use('SN-1', ACCESS_TOKEN_LIFE_MS)).thenRejected({ reason: 'token-expired' });
    given(issued, bound())
      .when(use('SN-1', ACCESS_TOKEN_LIFE_MS - 1))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('throws for events out of order', () => {
    expect(() => given(bound())).toThrow('AccessTokenBound to a token that is none');
    expect(() => given(issued, issued)).toThrow('AccessTokenIssued twice');
    expect(() => given(issued, bound(), bound('SN-2'))).toThrow('AccessTokenBound to a token that is bound');
  });
});
