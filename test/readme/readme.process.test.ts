import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { isPrinted, parsePrinted, readExamples } from '../../scripts/read-page.ts'
import { freePort } from '../free-port.ts'
import {
  createFolder,
  type MailyardProcess,
  sourceMain,
  startMailyard,
} from '../mailyard-process.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'

const root = join(import.meta.dirname, '../..')
const readExamplesOf = (page: string) => readExamples(page, readFileSync(join(root, page), 'utf8'))
const tour = readExamplesOf('README.md')
  .map(({ commands }) => commands)
  .join('')
/** The README's functions, which all pages use. */
const functions = tour.match(/^\w+\(\) .*\n/gm)?.join('') ?? ''

/** Pages whose first example needs more than a Mailyard after the README's tour, and what runs it instead. */
const otherwiseRun: Readonly<Record<string, string>> = {
  'docs/performance.md': 'a benchmark',
  'docs/production.md': 'test/package/production.process.test.ts installs the package',
  'docs/upgrading.md': 'test/upgrades upgrades the databases',
}
const pages = globSync(['README.md', 'docs/*.md', 'docs/tasks/*.md'], { cwd: root })
  .filter((page) => !(page in otherwiseRun) && readExamplesOf(page).length > 0)
  .toSorted()

test('pages and messages name files, links and commands that exist', () => {
  const args = [join(root, 'scripts/check-docs.ts')]
  assert.equal(spawnSync(process.execPath, args, { cwd: root }).stderr.toString(), '')
})

for (const [program, config] of [
  ['/bin/bash', '--norc'],
  ['/usr/bin/zsh', '-f'],
] as const) {
  const skip = existsSync(program) ? false : `needs ${program}`
  describe(`the README in ${program}`, { skip, timeout: 600_000 }, () => {
    const { folder, remove } = createFolder()
    let mailyard: MailyardProcess
    let mautic: MauticDouble

    before(async () => {
      // The checkout as `./mailyard` needs it, with a `data` folder of its own.
      for (const name of ['mailyard', 'package.json', 'node_modules', 'src'])
        symlinkSync(join(root, name), join(folder, name))
      const port = await freePort()
      const env = { MAILYARD_PORT: `${port}`, MAILYARD_PUBLIC_URL: `http://127.0.0.1:${port}` }
      mailyard = await startMailyard({ folder, main: sourceMain, env })
      mautic = await startMauticDouble()
      writeFileSync(join(folder, 'data/mautic-password'), mautic.administrator.password)
      writeFileSync(join(folder, 'unsubscribed.csv'), 'address\nann@example.net\nnot one\n')
    })
    after(async () => {
      await mailyard?.stop()
      await mautic?.close()
      remove()
    })

    /** Gives commands to a shell, as if they were pasted one after the other. */
    async function paste(options: readonly string[], commands: string) {
      const { PATH, NODE_COMPILE_CACHE } = process.env
      const env = { PATH, NODE_COMPILE_CACHE, HOME: folder, TERM: 'dumb' }
      const shell = spawn(program, [config, ...options], { cwd: folder, env })
      const pasted = commands
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${mailyard.port}`)
        .replaceAll('127.0.0.1:2525', `127.0.0.1:${mailyard.smtpPort}`)
      shell.stdin.end(`${pasted}exit\n`)
      const ended = new Promise<number | null>((resolve) => shell.once('close', resolve))
      const outputs = [text(shell.stdout), text(shell.stderr)] as const
      const [code, stdout, stderr] = await Promise.all([ended, ...outputs])
      return { code, stdout, stderr }
    }

    test('the first start prints what the README shows', () => {
      const readme = readFileSync(join(root, 'README.md'), 'utf8')
      const shown = /```text\n(.*?)```/s.exec(readme)?.[1]?.replaceAll('8080', `${mailyard.port}`)
      const printed = mailyard.output().replace(/(?<=set-password#)[\w-]{43}/, '…')
      assert.ok(shown !== undefined && printed.includes(shown), printed)
    })

    for (const [time, option] of [
      ['in a script', '-s'],
      ['a second time, in a terminal', '-i'],
    ] as const)
      test(`works line by line ${time}, and the email is delivered`, async () => {
        const { code, stdout, stderr } = await paste([option], tour)
        assert.equal(code, 0, stderr)
        assert.doesNotMatch(stderr, /not found|no matches|error|event not|curl:/i)
        assert.doesNotMatch(stdout, /"success":\s*false|"statusCode"/)
        assert.match(stdout, /Captured, not sent: \/api\/inbox\/\d+/)
        assert.match(stdout, /<p>Dear Jane,<\/p>/)
      })

    test('pasted twice, there is one transport and one template', async () => {
      const lines = 'api multipleTransports\napi twigTemplates\n'
      const { stdout } = await paste(['-s'], functions + lines)
      assert.equal(stdout.match(/"name":"Inbox"/g)?.length, 1)
      assert.equal(stdout.match(/"name":"Greeting"/g)?.length, 1)
    })

    if (program !== '/bin/bash') return
    for (const page of pages)
      test(`then the first example of ${page} works, and answers are as it prints them`, async () => {
        const examples = readExamplesOf(page)
        const commands = examples
          .map((example) => `${example.commands}\necho @@\n`)
          .join('')
          .replaceAll('https://mautic.example.com', mautic.url)
          .replaceAll('--user mailyard', `--user ${mautic.administrator.username}`)
          .replaceAll('mautics connect', 'mautics connect --no-wait')
        const { code, stdout, stderr } = await paste(['-e', '-s'], functions + commands)
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout)
        // JSON for people has a line for each member.
        const outputs = stdout.replaceAll(/\n(?=[ \]}])/g, '').split('@@\n')
        for (const [index, { printed }] of examples.entries()) {
          const lines = outputs[index]?.trimEnd().split('\n') ?? []
          if (printed.length === 0)
            assert.doesNotMatch(lines.join('\n'), /"success":\s*false|"error":|was ignored/)
          const answers = lines.slice(lines.length - printed.length)
          for (const [place, answer] of answers.entries())
            if (!isPrinted(parsePrinted(printed[place] ?? ''), JSON.parse(answer)))
              assert.equal(answer, printed[place])
        }
      })
  })
}
