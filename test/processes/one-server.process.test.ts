import assert from 'node:assert/strict'
import { linkSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { apiSettings, createFolder, startMailyard } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'
import { ask } from './client.ts'

const { folder, remove } = createFolder()
const data = join(folder, 'data')
const file = join(data, 'mailyard.db')
const optionsOf = (path: string) => ({ folder, databaseUrl: `sqlite:${path}`, env: apiSettings })
const serve = (path: string) =>
  runMailyard(['serve'], { ...optionsOf(path), env: { ...apiSettings, MAILYARD_PORT: '0' } })

after(remove)

describe('a SQLite file', { timeout: 60_000 }, () => {
  test('has one server: a second one is refused, also through links, while commands work', async (t) => {
    const first = await startMailyard(optionsOf(file))
    t.after(() => first.kill('SIGKILL'))
    symlinkSync(file, join(folder, 'link.db'))
    symlinkSync(data, join(folder, 'linked'))
    const paths = [file, 'data/../data/mailyard.db', 'link.db', 'linked/mailyard.db']
    for (const path of paths) {
      const { code, stderr } = await serve(path)
      assert.equal(code, 4)
      assert.match(stderr, /^error: Another Mailyard serves \S+\/mailyard\.db, .*PostgreSQL.*\n$/)
    }
    const password = join(folder, 'password')
    writeFileSync(password, adminPassword)
    const args = ['users', 'add', 'ann', '--email', 'ann@example.com', '--role', '1']
    const added = await runMailyard([...args, '--password-file', password], optionsOf(file))
    assert.equal(added.code, 0, added.stderr)
    assert.equal((await ask(first, '/api/users')).body.total, 2)
    assert.equal((await runMailyard(['migrate'], optionsOf(file))).code, 0)

    linkSync(file, join(folder, 'hard.db'))
    const linked = await serve(join(folder, 'hard.db'))
    assert.equal(linked.code, 4)
    assert.match(linked.stderr, /hard links/)
    unlinkSync(join(folder, 'hard.db'))

    first.kill('SIGKILL')
    await first.ended
    const next = await startMailyard(optionsOf(file))
    t.after(() => next.kill('SIGKILL'))
    assert.equal((await ask(next, '/api/users')).body.total, 2)
    assert.equal(await next.stop(), 0)
  })

  test('of two servers at once on a new file gets one, and the other is refused', async (t) => {
    const path = join(folder, 'new', 'mailyard.db')
    mkdirSync(join(folder, 'new'))
    const both = await Promise.allSettled([optionsOf(path), optionsOf(path)].map(startMailyard))
    const started = both.filter((each) => each.status === 'fulfilled')
    for (const { value } of started) t.after(() => value.kill('SIGKILL'))
    assert.equal(started.length, 1)
    const refused = both.find((each) => each.status === 'rejected')
    assert.match(String(refused?.reason), /Another Mailyard serves/)
    await started[0]?.value.stop()
  })
})
