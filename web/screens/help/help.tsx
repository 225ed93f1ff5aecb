import { useLayoutEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { TextField } from '../../design/field.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { ApiFault } from '../../lib/api.ts'
import { beforeHelp } from '../../lib/shown.ts'
import { useData } from '../../lib/use-data.ts'
import { type Found, findHelp, loadHelpPages, loadHelpText, titleOf } from '../../records/help.ts'
import { words } from '../../words/common.ts'

const text = {
  all: 'All pages',
  search: 'Search the help',
  results: 'Results',
  view: 'Steps in',
  views: { console: 'Console', terminal: 'Terminal' },
} as const

type View = keyof typeof text.views
const viewKey = 'mailyard.help'

/** The pages of `docs/`: all of them, or one with the others beside it. */
export default function HelpScreen() {
  const { page: name } = useRoute().params
  const loaded = useData(async () => {
    const pages = await loadHelpPages()
    if (name === undefined || pages.some((page) => page.name === name)) return pages
    throw new ApiFault(404, words.notFoundHelp(`/help/${name}`))
  }, [name])
  return (
    <Show loaded={loaded} back={{ href: '/help', label: words.help }}>
      {(pages) => {
        const page = pages.find((each) => each.name === name)
        const groups = Object.entries(Object.groupBy(pages, ({ group }) => group))
        const menu = groups.map(([title, group = []]) => ({
          title,
          links: group.map((each) => ({ href: `/help/${each.name}`, name: titleOf(each) })),
        }))
        return (
          <Page
            title={page === undefined ? words.help : titleOf(page)}
            back={beforeHelp.value}
            actions={page && <ButtonLink href="/help">{text.all}</ButtonLink>}
          >
            {page === undefined ? (
              <Menu groups={menu} />
            ) : (
              <RecordLayout side={<Menu groups={menu} current={`/help/${page.name}`} />}>
                <PageText key={page.name} name={page.name} />
              </RecordLayout>
            )}
          </Page>
        )
      }}
    </Show>
  )
}

interface MenuProps {
  groups: readonly { title: string; links: readonly Found[] }[]
  /** The page that the menu stands beside. */
  current?: string
}

function Menu({ groups, current }: MenuProps) {
  const [sought, setSought] = useState('')
  const found = useData(() => findHelp(sought), [sought], { isTyped: true })
  const shown = sought.trim() === '' ? groups : [{ title: text.results, links: found.data ?? [] }]
  return (
    <nav class="stack" aria-label={words.help}>
      <TextField label={text.search} type="search" value={sought} onValue={setSought} />
      <div class={current === undefined ? 'help-groups' : 'stack'}>
        {shown.map(({ title, links }) => (
          <Card key={title} title={title}>
            <ul class="help-links">
              {links.map(({ href, name, detail }) => (
                <li key={href}>
                  <a href={href} aria-current={href === current ? 'page' : undefined}>
                    {name}
                  </a>
                  {detail !== undefined && <span class="quiet small"> {detail}</span>}
                </li>
              ))}
            </ul>
            {links.length === 0 && !found.isLoading && (
              <p class="quiet">{words.find.nothing(sought)}</p>
            )}
          </Card>
        ))}
      </div>
    </nav>
  )
}

function PageText({ name }: { name: string }) {
  const loaded = useData((signal) => loadHelpText(`${name}.html`, signal), [name])
  return <Show loaded={loaded}>{(html) => <Prose html={html} />}</Show>
}

/** The text of a page. Where it has steps in the console, its commands are behind a tab. */
function Prose({ html }: { html: string }) {
  const { url } = useLocation()
  const [view, setView] = useState<View>(
    localStorage.getItem(viewKey) === 'terminal' ? 'terminal' : 'console',
  )
  useLayoutEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [url])
  const show = (chosen: View) => {
    localStorage.setItem(viewKey, chosen)
    setView(chosen)
  }
  const prose = (
    // Made of docs/ when the console is built, without HTML of its own.
    <article class="card prose" data-view={view} dangerouslySetInnerHTML={{ __html: html }} />
  )
  if (!html.includes('class="terminal')) return prose
  return (
    <Tabs label={text.view} tabs={text.views} shown={view} onShow={show} kind="segments">
      {prose}
    </Tabs>
  )
}
