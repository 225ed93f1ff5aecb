import { AppError } from '../../../kit/app-error.ts'
import type { ItemToTest } from '../../../platform/resource/index.ts'
import type { MauticClients } from '../mautic-clients.ts'
import type { MauticRow } from '../table.ts'
import { checkLogin } from './check-mautic.ts'

/**
 * Tests a Mautic before it is saved (`?ifTestPasses=1`): reaches it and logs in to it, as it will be stored. Nothing is changed in it.
 *
 * @throws AppError (`invalid`) with the report as `facts.test`, and the field that is wrong, if the test fails.
 */
export async function testLogin(
  clients: Pick<MauticClients, 'open'>,
  { columns, signal }: ItemToTest<MauticRow>,
): Promise<void> {
  const client = await clients.open(columns)
  const test = await checkLogin({ mautic: columns, client, signal })
  if (test.success) return
  const isReached = test.stages[0]?.outcome === 'ok'
  const secret = columns.client_id === null ? 'password' : 'clientSecret'
  const details = isReached
    ? { [secret]: ['was not accepted by this Mautic'] }
    : { url: ['does not lead to a Mautic whose API can be used'] }
  const message = `The Mautic "${columns.name}" was not saved. ${test.message}`
  throw new AppError('invalid', 'test_failed', message, { details, facts: { test } })
}
