import { DEVICE_OPERATIONS } from './paths';
import { GROUP_B_OPERATIONS } from './device-operations';

const rows = Object.entries(GROUP_B_OPERATIONS);

describe('the table of Group B (interface, section 4.2)', () => {
  it('contains perform and status for the three operations, and complete for a transfer', () => {
    const names = DEVICE_OPERATIONS.flatMap((operation) => [`perform-${operation}`, `status-${operation}`]);
    expect(rows.map(([name]) => name).sort()).toStrictEqual([...names, 'complete-transfer'].sort());
  });

  it.each(rows)('has a row for %s whose name is the key and whose path begins with the operation', (name, row) => {
    expect(row.name).toBe(name);
    expect(row.path.split('/').slice(0, 5)).toStrictEqual(['dapi', 'v1', row.operation, ':endpointId', ':invoiceId']);
  });

  it('lists the transfer status before the completion because both paths match', () => {
    const names = rows.map(([name]) => name);
    expect(names.indexOf('status-transfer')).toBeLessThan(names.indexOf('complete-transfer'));
  });
});
