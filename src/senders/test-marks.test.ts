import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { TestMarks } from './test-marks.ts'

onEachDatabase(
  'marks of test messages',
  (shared) => {
    const mark = {
      transportId: 7,
      member: 'smtp://mx.example.com:587',
      domain: 'brand.example',
      recipient: 'ann@example.com',
      dsnKey: 'k',
      sentAt: 1_700_000_000_000,
    }

    test('another process of the installation reads a mark', async () => {
      const { app } = shared.service
      const value = (await TestMarks.open(app)).write(mark)
      assert.deepEqual((await TestMarks.open(app)).read(` ${value}\r\n`), mark)
    })

    test('a mark that this installation did not write, or that was changed, is not read', async () => {
      const marks = await TestMarks.open(shared.service.app)
      const [encoded, code] = marks.write(mark).split('.')
      const other = Buffer.from(
        JSON.stringify([8, 'smtp://x', 'brand.example', 'a@b.example', 'k', 0]),
      ).toString('base64url')
      const faked = ['', '.', 'a.b', `${other}.${code}`, `${encoded}.`, `${encoded}.${code}.x`]
      for (const value of faked) assert.equal(marks.read(value), undefined, value)
      assert.equal(marks.read(`${encoded}.${'A'.repeat(100_000)}`), undefined)
    })

    test('the hash of a DSN tells DSNs apart and does not show them', async () => {
      const marks = await TestMarks.open(shared.service.app)
      const key = marks.dsnKeyOf('smtp://user:secret@mx.example.com')
      assert.equal(key, marks.dsnKeyOf('smtp://user:secret@mx.example.com'))
      assert.notEqual(key, marks.dsnKeyOf('smtp://user:Secret@mx.example.com'))
      assert.equal(key.length, 22)
    })
  },
  { isStarted: false },
)
