import { readRefusalQuery } from '../../delivery/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, withApp } from '../session.ts'
import { findMautic } from './mautic.ts'

interface RefusalFilters {
  limit?: string
  outcome?: string
  from?: string
  to?: string
}

/** `mailyard mautic refusals`: the newest first. */
export async function listRefusals(
  { environment, output }: CommandContext,
  filters: RefusalFilters,
  mautic = '',
): Promise<number> {
  const query = readRefusalQuery({ ...filters })
  return withApp(environment, async (app) => {
    const { id, name } = await findMautic(app, mautic)
    const { refusals } = await app.delivery.refusals.list({ mauticId: id, ...query }, operator)
    const columns = ['id', 'date', 'recipient', 'emailId', 'emailName', 'outcome', 'code', 'status']
    const isFiltered = Object.keys(filters).some((filter) => filter !== 'limit')
    const hint = isFiltered
      ? `All of them: ${commandName} mautic refusals ${name}`
      : `All its deliveries: ${commandName} delivery list`
    output.printTable(refusals, [...columns, 'reason'], hint)
    return exitCodes.ok
  })
}
