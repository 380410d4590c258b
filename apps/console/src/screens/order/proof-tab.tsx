import type { ReactNode } from 'react';
import { Empty } from '../../ui/states';

/** Proof that each event of an order is in the signed log. */
export const ProofTab = ({ orderId }: { readonly orderId: string }): ReactNode => <Empty title={`No proof of order ${orderId} yet`} />;
