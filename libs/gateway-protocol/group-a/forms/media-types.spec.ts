import { contentTypeRefusal } from './media-types';

describe('content type of a request (protocol decisions, section 3)', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-URLencoded; charset=UTF-8',
    'application/x-www-form-urlencoded;charset="utf-8"',
    'application/x-www-form-urlencoded; boundary=x',
  ])('takes %s', (contentType) => expect(contentTypeRefusal(contentType)).toBeUndefined());

  it.each([undefined, '', 'application/json', 'multipart/form-data; boundary=x', 'text/plain', 'application/x-www-form-urlencoded2'])(
    'refuses %s',
    (contentType) =>
      expect(contentTypeRefusal(contentType)).toStrictEqual({
        kind: 'malformed',
        reason: 'wrong-content-type',
        message: 'Content-Type must be application/x-www-form-urlencoded',
      }),
  );

  it('names the charset if that alone is wrong', () =>
    expect(contentTypeRefusal('application/x-www-form-urlencoded; charset=iso-8859-1')).toStrictEqual({
      kind: 'malformed',
      reason: 'wrong-charset',
      message: 'The charset of the Content-Type must be UTF-8: encode the form as UTF-8',
    }));
});
