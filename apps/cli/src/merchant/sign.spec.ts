import { fieldsOf } from './sign';

it('fields are read up to the first equals sign, and may be empty', () => {
  expect([...fieldsOf(['amount=10.42', 'order_desc=a=b', 'email='])]).toStrictEqual([
    ['amount', '10.42'],
    ['order_desc', 'a=b'],
    ['email', ''],
  ]);
});

it.each([
  ['without an equals sign', ['amount'], 'fields are given as key=value'],
  ['without a name', ['=10.42'], 'fields are given as key=value'],
  ['that is given twice', ['amount=10.42', 'email=a@example.com', 'amount=10.42'], 'amount is given twice'],
])('a field %s is refused, exit code 2', (_what, pairs, message) => {
  expect(() => fieldsOf(pairs)).toThrow(expect.objectContaining({ name: 'CommandFailed', message, exitCode: 2 }) as Error);
});
