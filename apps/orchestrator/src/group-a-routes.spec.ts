import { OPERATION_NAMES } from '@app/configuration';
import { GROUP_A_PATHS, GroupARoutes, type GroupAOperations } from '../../../libs/gateway-protocol/group-a/operations';

describe('the paths of Group A (interface, section 4.1; protocol decisions, section 1)', () => {
  const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

  it('are those of the table and no others', () => {
    const table = words(`v2/create-card-ref v4/create-card-ref v2/get-card-info v2/make-rebill-sale v2/make-rebill v2/make-rebill-preauth
      v2/status v4/status v2/sale v2/preauth v2/account-verification v2/capture v2/return v2/void`);
    expect(Object.keys(GROUP_A_PATHS).sort()).toStrictEqual(table.sort());
  });

  it('lead each to its operation; what is none, to none', () => {
    const operations = Object.fromEntries(Object.values(GROUP_A_PATHS).map((name) => [name, { name }])) as unknown as GroupAOperations;
    const routes = new GroupARoutes(operations);
    for (const [path, name] of Object.entries(GROUP_A_PATHS)) {
      const [version = '', operation = ''] = path.split('/');
      expect(routes.operation(version, operation)).toMatchObject({ name });
    }
    for (const [version, operation] of [
      ['v3', 'sale'],
      ['v4', 'sale'],
      ['v2', 'Sale'],
      ['v2', ''],
      ['', '__proto__'],
      ['constructor', 'name'],
    ] as const)
      // prettier-ignore
      expect(routes.operation(version, operation)).toBeUndefined();
  });

  it('are named as an entry point lists its operations, the alias aside', () => {
    const named = Object.keys(GROUP_A_PATHS).map((path) => path.slice(3));
    const listed = OPERATION_NAMES.filter((name) => name !== 'verification' && name !== 'transfer');
    expect(new Set(named.filter((name) => name !== 'make-rebill'))).toStrictEqual(new Set<string>(listed));
  });
});
