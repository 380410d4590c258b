import { getMetadataStorage, IsInt, IsOptional, Max, MetadataStorage, MinLength, validateSync } from 'class-validator';
import { rememberRules } from './message-fields';

const looksOf = (): { readonly storage: MetadataStorage; readonly looks: () => number } => {
  const storage = new MetadataStorage();
  const look = jest.spyOn(storage, 'getTargetValidationMetadatas');
  rememberRules(storage);
  return { storage, looks: () => look.mock.calls.length };
};
const rulesOf = (storage: MetadataStorage, target: new () => object, groups?: string[]): readonly unknown[] =>
  storage.getTargetValidationMetadatas(target, undefined as unknown as string, false, false, groups);

describe('cached validation rules', () => {
  class Message {}

  it('are looked up and grouped by property once per class', () => {
    const { storage, looks } = looksOf();
    const first = rulesOf(storage, Message);
    expect(rulesOf(storage, Message)).toBe(first);
    expect(looks()).toBe(1);
    const rules = storage.getTargetValidationMetadatas(Message, undefined as unknown as string, false, false);
    expect(storage.groupByPropertyName(rules)).toBe(storage.groupByPropertyName(rules));
  });

  it('are looked up every time if the validation names groups', () => {
    const { storage, looks } = looksOf();
    rulesOf(storage, Message, ['late']);
    rulesOf(storage, Message, ['late']);
    expect(looks()).toBe(2);
  });

  it('include a rule declared after the first validation', () => {
    class Growing {
      amount = 12;
    }
    IsOptional()(Growing.prototype, 'comment');
    rememberRules(getMetadataStorage());
    expect(validateSync(new Growing())).toStrictEqual([]);
    Max(10)(Growing.prototype, 'amount');
    expect(validateSync(new Growing())).toMatchObject([{ property: 'amount' }]);
  });

  it('include inherited rules and exclude those of other classes', () => {
    class Base {
      @IsInt()
      count: unknown = 'one';
    }
    class Derived extends Base {
      @MinLength(3)
      name = 'ab';
    }
    class Other {
      @IsOptional()
      count: unknown = 'one';
    }
    for (let round = 0; round < 2; round++) {
      expect(validateSync(new Derived()).map(({ property }) => property)).toStrictEqual(['name', 'count']);
      expect(validateSync(new Other())).toStrictEqual([]);
      expect(validateSync(new Base())).toMatchObject([{ property: 'count' }]);
    }
  });
});
