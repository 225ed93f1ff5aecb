import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { loginEndOf } from './login-end.ts'

const path = '/api/multipleTransports'
const microsoftDsn = 'smtp://me%40example.com:S3cret@smtp.office365.com:587'

describe('the end of a log-in', () => {
  test('is a note until 60 days before, then a warning, and a problem from its day on', () => {
    const at = (time: string) => loginEndOf({ date: '2026-12-31' }, Date.parse(time))
    assert.deepEqual(at('2026-10-31T23:59:59Z'), { daysLeft: 61, severity: 'ok' })
    assert.deepEqual(at('2026-11-01T00:00:00Z'), { daysLeft: 60, severity: 'warning' })
    assert.deepEqual(at('2026-12-30T23:59:59Z'), { daysLeft: 1, severity: 'warning' })
    assert.deepEqual(at('2026-12-31T00:00:00Z'), { daysLeft: 0, severity: 'problem' })
    assert.deepEqual(at('2027-01-01T00:00:00Z'), { daysLeft: -1, severity: 'problem' })
  })

  test('is always a warning for an access token', () => {
    assert.deepEqual(loginEndOf({ date: null }, 0), { daysLeft: null, severity: 'warning' })
  })
})

onMailyard('the log-ins that stop working', (shared) => {
  test('are in the inspection of a DSN, saved or not', async () => {
    const clock = clockAt(Date.parse('2026-12-31T00:00:00Z'))
    const service = await shared.openAnother({ isStarted: false, clock })
    const inspect = async (body: object) =>
      (await service.ask('POST', `${path}/dsn/inspect`, body)).body.endingLogins
    const [typed] = await inspect({ mailerDsn: microsoftDsn })
    assert.deepEqual([typed.daysLeft, typed.severity], [0, 'problem'])
    const { id } = await addTransport(service, { mailerDsn: microsoftDsn })
    assert.deepEqual(await inspect({ id }), [typed])
    assert.deepEqual(await inspect({ mailerDsn: 'null://null' }), [])
  })

  test('are in nested lists, the one that ended first', async () => {
    const clock = clockAt(Date.parse('2026-11-26T12:00:00Z'))
    const service = await shared.openAnother({ isStarted: false, clock })
    const googleDsn = 'gmail+smtp://me%40gmail.com:S3cret@default'
    const mailerDsn = `failover(null://null roundrobin(${microsoftDsn} ${googleDsn}))`
    const { body } = await service.ask('POST', `${path}/dsn/inspect`, { mailerDsn })
    const members = body.endingLogins.map(({ member }: { member: number[] }) => member)
    assert.deepEqual(members, [
      [1, 1],
      [1, 0],
    ])
  })
})
