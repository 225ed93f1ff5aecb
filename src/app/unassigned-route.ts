import type { CallerMautic } from '../kit/caller.ts'
import type { UnassignedRoute } from '../mautic/index.ts'
import { findLastTest } from '../transports/index.ts'
import type { App } from './app-parts.ts'

/** Finds what mail of a Mautic without an assignment is sent through, as a send does. */
export async function findUnassignedRoute(
  mautic: CallerMautic,
  { storage, delivery, transports }: Pick<App, 'storage' | 'delivery' | 'transports'>,
): Promise<UnassignedRoute> {
  const { target, trace } = await delivery.resolveRoute({ mautic })
  const reasons = trace.map(({ reason }) => reason)
  switch (target.kind) {
    case 'transport': {
      const { id, name } = target.row
      const isReadable = (await transports.findDsn(target.row)) !== undefined
      const lastTest = (await findLastTest(storage.tables(), id)) ?? null
      return { transport: { id, name, isReadable, lastTest }, reasons }
    }
    case 'default': {
      const transport = { id: null, name: 'default', isReadable: true, lastTest: null }
      return { transport, reasons }
    }
    default:
      return { transport: undefined, reasons }
  }
}
