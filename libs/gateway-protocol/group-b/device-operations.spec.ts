import { DEVICE_OPERATIONS } from './paths';
import { GROUP_B_OPERATIONS } from './device-operations';

const rows = Object.entries(GROUP_B_OPERATIONS);

describe('the table of Group B (interface, section 4.2)', () => {
  it('performs and tells the status of each of the three operations, and completes a transfer', () => {
    const names = DEVICE_OPERATIONS.flatMap((operation) => [`perform-${operation}`, `status-${operation}`]);
    expect(rows.map(([name]) => name).sort()).toStrictEqual([...names, 'complete-transfer'].sort());
  });

  it.each(rows)('%s is named by its key, and its path by its operation', (name, row) => {
    expect(row.name).toBe(name);
    expect(row.path.split('/').slice(0, 5)).toStrictEqual(['dapi', 'v1', row.operation, ':endpointId', ':invoiceId']);
  });

  it('asks for a status before it completes a transfer: both paths fit the word', () => {
    const names = rows.map(([name]) => name);
    expect(names.indexOf('status-transfer')).toBeLessThan(names.indexOf('complete-transfer'));
  });
});
