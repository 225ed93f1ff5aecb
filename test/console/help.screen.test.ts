import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useScreens } from './test-screens.ts'

describe('the help', () => {
  const console = useScreens()
  const text = () => console.page.getByRole('article')

  test('is read without a log-in', async () => {
    const { page } = console
    await page.goto('/help')
    await page.link('Warm up a new sender').click()
    await text().see('reputation')
    await page.link('Log in').click()
    await page.button('Log in').waitFor()
  })

  test('opens beside the menu, and leads back to the screen that it was opened from', async () => {
    const page = await console.open('/limits')
    await page.link('How to warm up a new sender').click()
    await page.opens('Warm up a new sender')
    await page.link('All pages').click()
    await page.opens('Help')
    await page.link('The queue').click()
    await page.opens('The queue')
    await page.link('Limits').nth(1).waitFor()
    await page.locator('.page-back').click()
    await page.opens('Limits')
    assert.match(page.url(), /\/limits$/)
  })

  test('has the commands behind a tab, which is chosen for all pages', async () => {
    const page = await console.open('/help/warm-up')
    await text().see('reputation')
    assert.equal(await text().getAttribute('data-view'), 'console')
    await page.tab('Terminal').click()
    assert.equal(await text().getAttribute('data-view'), 'terminal')
    await page.link('A provider is down').click()
    await page.opens('A provider is down')
    assert.equal(await text().getAttribute('data-view'), 'terminal')
    // It has no step in the console.
    await page.link('Scaling').click()
    await page.opens('Scaling')
    await page.tab('Terminal').gone()
  })

  test('is searched by title, heading and text, and forgives a typing error in a title', async () => {
    const page = await console.open('/help')
    const search = page.getByLabel('Search the help')
    await search.fill('brake the queue')
    await page.link('The brake').click()
    await page.opens('The queue')
    assert.match(page.url(), /\/help\/queue#the-brake$/)
    await search.fill('MAILYARD_PORT')
    await page.link('Configuration').waitFor()
    await search.fill('glosary')
    await page.link('Glossary').waitFor()
    await search.fill('xyzzyq')
    await page.see('Nothing has “xyzzyq” in it.')
  })

  test('a page that does not exist has a title, and leads to those that do', async () => {
    const page = await console.open('/help/missing')
    await page.opens('This page does not exist')
    await page.locator('.page-back').click()
    await page.opens('Help')
    await page.goto('/nothing')
    await page.opens('This page does not exist')
    await page.getByRole('main').button('Find').click()
    await page.combobox('Find').waitFor()
  })
})
