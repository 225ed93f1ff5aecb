import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from 'kysely'
import { addTransport } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLog } from '../../kit/log.ts'
import { accountsOf } from '../../mailer/index.ts'
import { TransportAccounts } from './transport-accounts.ts'

onEachDatabase('the account of a transport', (shared) => {
  test('is known again once a DSN that could not be decrypted can be', async () => {
    const mailerDsn = 'sendgrid+api://SG.one@default'
    const one = (await addTransport(shared.service, { mailerDsn })).id
    const other = (await addTransport(shared.service, { mailerDsn })).id
    let isBroken = true
    const accounts = new TransportAccounts({
      transports: {
        async dsnOf() {
          if (isBroken) throw new Error('Its key is missing.')
          return mailerDsn
        },
      },
      accountsOf,
      defaultDsn: undefined,
      log: createLog('silent'),
    })
    const isShared = () =>
      shared.service.app.storage.transaction(async (tx: Transaction<object>) =>
        (await accounts.read(tx, [one, other])).sharesAccount(one, other),
      )
    assert.equal(await isShared(), false)
    isBroken = false
    assert.equal(await isShared(), true)
  })
})
