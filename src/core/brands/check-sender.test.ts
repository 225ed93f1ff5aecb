import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '../mime/index.ts'
import { readDomains } from './brand-domains.ts'
import { checkSenders } from './check-sender.ts'

const brand = (id: number, name: string, domains: string[], isPublished = true) => ({
  id,
  name,
  domains: new Set(readDomains(domains).domains),
  isPublished,
})
const shop = brand(3, 'Shop', ['shop.test', 'ann@mail.test', 'bücher.test'])
const lab = brand(2, 'Lab', ['lab.test', 'mail.test'])
const any = brand(5, 'Any', [])

test('a brand sends as its domains and addresses, in every form that means the same', () => {
  const allowed = [
    'news@shop.test',
    'News@SHOP.Test',
    'news@shop.test.',
    '"news"@shop.test',
    'ANN@mail.test',
    'news@bücher.test',
    'news@BÜCHER.test',
    'news@xn--bcher-kva.test',
    'news@bu\u0308cher.test',
    'news@ｓｈｏｐ.test',
  ]
  for (const address of allowed)
    assert.deepEqual(checkSenders([shop], { senders: [address] }), { brand: 3 }, address)
})

test('a brand does not send as any other address, and the refusal names the address and the brand', () => {
  const refused: Record<string, string> = {
    'news@other.test': 'news@other.test',
    'news@a.shop.test': 'news@a.shop.test',
    'news@test': 'news@test',
    'news@shop.test.other.test': 'news@shop.test.other.test',
    'news@myshop.test': 'news@myshop.test',
    'ben@mail.test': 'ben@mail.test',
    'ann+x@mail.test': 'ann+x@mail.test',
    'ann@a.mail.test': 'ann@a.mail.test',
    '"ann@shop.test"@other.test': '"ann@shop.test"@other.test',
    'news@shop.test..': 'news@shop.test..',
    'news@shop.test\0': 'news@shop.test',
    'news@[192.0.2.1]': 'news@[192.0.2.1]',
    'news@shop.test/x': 'news@shop.test/x',
    'shop.test': 'shop.test',
    '@shop.test': '@shop.test',
    'news@': 'news@',
    // Confusables are other domains: Cyrillic о, and a capital Σ, which is not ς.
    'news@shоp.test': 'news@xn--shp-ted.test',
    'news@bucher.test': 'news@bucher.test',
    'news@other。test': 'news@other.test',
    'news@xn--bcher-kvb.test': 'news@xn--bcher-kvb.test',
  }
  for (const [address, shown] of Object.entries(refused))
    for (const senders of [[address], ['a@shop.test', address]])
      assert.deepEqual(checkSenders([shop], { senders }), {
        problem: `You may not send as ${shown}: brand "Shop" sends as shop.test, ann@mail.test and xn--bcher-kva.test`,
      })
  const sigma = brand(1, 'Sigma', ['βόλος-1.test'])
  assert.ok('problem' in checkSenders([sigma], { senders: ['a@ΒΌΛΟΣ-1.test'] }))
  const many = brand(1, 'Many', ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test'])
  assert.deepEqual(checkSenders([many], { senders: ['a@shop.test'] }), {
    problem:
      'You may not send as a@shop.test: brand "Many" sends as a.test, b.test, c.test and 3 more',
  })
})

test('each address belongs to a brand of the log-in, and the message to the brand of its From', () => {
  const cases: [senders: string[], answer: number | string][] = [
    [['a@shop.test'], 3],
    [['a@lab.test', 'b@shop.test'], 2],
    // An address counts before its domain.
    [['ann@mail.test', 'ben@mail.test'], 3],
    [['ben@mail.test', 'ann@mail.test'], 2],
    [['a@lab.test', 'x@y.test', 'z@y.test'], 'x@y.test'],
    [['x@y.test', 'a@lab.test'], 'x@y.test'],
  ]
  for (const [senders, answer] of cases)
    assert.deepEqual(
      checkSenders([shop, lab], { senders }),
      typeof answer === 'number'
        ? { brand: answer }
        : {
            problem: `You may not send as ${answer}: brands "Shop" and "Lab" do not send as this address`,
          },
    )
  assert.ok('problem' in checkSenders([shop, lab], { senders: [] }))
})

test('of several brands with the same domain the one with the lowest id has the message', () => {
  const other = brand(1, 'Other', ['shop.test'])
  assert.deepEqual(checkSenders([shop, other], { senders: ['a@shop.test'] }), { brand: 1 })
  assert.deepEqual(checkSenders([any, brand(4, 'Each', [])], { senders: ['a@shop.test'] }), {
    brand: 4,
  })
})

test('a brand without domains does not limit, and has what no other brand of the log-in has', () => {
  const unread = {
    get senders(): never {
      throw new Error('read')
    },
  }
  assert.deepEqual(checkSenders([any], unread), { brand: 5 })
  const brands = [brand(1, 'Every', []), shop]
  assert.deepEqual(checkSenders(brands, { senders: ['x@y.test', 'a@shop.test'] }), { brand: 1 })
  assert.deepEqual(checkSenders(brands, { senders: ['a@shop.test', 'x@y.test'] }), { brand: 3 })
  assert.deepEqual(checkSenders(brands, { senders: { problem: 'Unclear' } }), { brand: 1 })
})

test('a brand that is not published sends nothing, not even without domains', () => {
  const closed = brand(3, 'Shop', ['shop.test'], false)
  const closedAny = brand(5, 'Any', [], false)
  const refusal = (address: string, name: string) => ({
    problem: `You may not send as ${address}: brand "${name}" is not published`,
  })
  for (const address of ['a@shop.test', 'x@y.test'])
    assert.deepEqual(checkSenders([closed], { senders: [address] }), refusal(address, 'Shop'))
  assert.deepEqual(checkSenders([closedAny], { senders: ['x@y.test'] }), refusal('x@y.test', 'Any'))
  assert.deepEqual(
    checkSenders([closed, lab], { senders: ['a@lab.test', 'a@shop.test'] }),
    refusal('a@shop.test', 'Shop'),
  )
  assert.deepEqual(checkSenders([closed, any], { senders: ['a@shop.test'] }), { brand: 5 })
})

test('a log-in whose brands are deleted sends nothing', () => {
  const problem = 'You may not send as news@shop.test: your brands do not exist any more'
  assert.deepEqual(checkSenders([], { senders: ['news@shop.test'] }), { problem })
})

test('senders that cannot be read for certain are refused for a brand with domains', () => {
  const message = readMessage([Buffer.from('From: a@shop.test\r\nFrom: a@other.test\r\n\r\n')])
  assert.deepEqual(checkSenders([shop], message), {
    problem: 'The message has 2 headers From; send one',
  })
})

test('the domains of a brand are stored as they are compared, each once', () => {
  const entries = [
    ' Shop.test. ',
    'shop.TEST',
    'Bücher.test',
    'Ann@Bücher.test.',
    '"ann"@bücher.test',
  ]
  assert.deepEqual(readDomains(entries), {
    domains: ['shop.test', 'xn--bcher-kva.test', 'ann@xn--bcher-kva.test'],
    faults: [],
  })
})

test('a faulty domain of a brand is named', () => {
  const faulty = [
    '',
    '*.shop.test',
    '@shop.test',
    'https://shop.test',
    'Ann <ann@shop.test>',
    'ann@shop.test, ben@shop.test',
    'ann ben@shop.test',
    'a@b@shop.test',
    'ann@',
    'ann@192.0.2.1',
    '192.0.2.1',
    'shop..test',
    'shop.test\0',
  ]
  for (const entry of faulty) {
    const { domains, faults } = readDomains(['shop.test', entry])
    assert.deepEqual(domains, ['shop.test'], entry)
    assert.match(faults.join(), /^must be domains.*; wrong: /, entry)
    assert.ok(faults.join().endsWith(entry.replace('\0', '').trim()), entry)
  }
  const many = Array.from({ length: 1_001 }, (_, index) => `${index}.test`)
  assert.deepEqual(readDomains(many.slice(1)).faults, [])
  assert.deepEqual(readDomains(many).faults, ['must have at most 1,000 items'])
})
