import type { ComponentChildren } from 'preact'
import { render } from 'preact-render-to-string'
import { Wordmark } from '../design/wordmark.tsx'
import { type ApiDocument, type Group, namesOf, readMenu } from './document.ts'
import { Markdown } from './markdown.tsx'
import { Method, OperationSection } from './operation.tsx'
import { Fields } from './schema.tsx'
import { apiDocsWords as words } from './words.ts'

export interface PageParts {
  document: ApiDocument
  /** `docs/api.md`, whose links lead to pages of this Mailyard. */
  guide: string
  /** The addresses of what each page loads. */
  files: { font: string; script: string; style: string }
}

type Menu = ReturnType<typeof readMenu>

/** Renders `/api/docs` (`index`), a page for each group of operations, and one of the schemas, by name. */
export function renderPages({ document, guide, files }: PageParts): Map<string, string> {
  const { components, info } = document
  const menu = readMenu(document)
  const groups = menu.flatMap((each) => each.groups)
  const page = (name: string, title: string, content: ComponentChildren) => {
    const shell = (
      <Page
        title={title}
        version={info.version}
        files={files}
        menu={<MenuView menu={menu} current={name} schemas={components.schemas} />}
      >
        {content}
      </Page>
    )
    return [name, `<!doctype html>${render(shell)}`] as const
  }
  return new Map([
    page('index', words.guide, <Guide text={guide} groups={groups} />),
    ...groups.map((group) =>
      page(group.name, group.title, <GroupContent group={group} components={components} />),
    ),
    page('schemas', words.schemas, <SchemasContent schemas={components.schemas} />),
  ])
}

interface PageProps extends Pick<PageParts, 'files'> {
  title: string
  version: string
  menu: ComponentChildren
  children: ComponentChildren
}

function Page({ title, version, files, menu, children }: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{words.titleOf(title)}</title>
        <link rel="icon" href="data:," />
        <link rel="preload" as="font" type="font/woff2" crossorigin="anonymous" href={files.font} />
        <link rel="stylesheet" href={files.style} />
        {/* Before the content, so that the first view has the chosen colours. */}
        <script src={files.script} />
      </head>
      <body>
        <a class="skip" href="#content">
          {words.skip}
        </a>
        <header class="bar">
          <button type="button" class="button menu-button" popovertarget="menu">
            {words.menu}
          </button>
          <a class="brand" href="/api/docs">
            <Wordmark /> <span class="quiet">{words.title}</span>
          </a>
          <span class="version quiet small">{version}</span>
          <span class="session small" />
          <a class="button" href="/" aria-label={words.toConsole}>
            {words.console}
          </a>
        </header>
        <div class="sides">
          {menu}
          <main class="main" id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </body>
    </html>
  )
}

/** The groups and their operations; open at the page `current`. */
function MenuView({
  menu,
  current,
  schemas,
}: { menu: Menu; current: string } & Pick<Components, 'schemas'>) {
  const currentOf = (name: string) => (name === current ? 'page' : undefined)
  return (
    <nav id="menu" popover="auto" aria-label={words.operations}>
      <label class="field">
        <span class="label">{words.search}</span>
        <input class="input" type="search" id="search" autocomplete="off" spellcheck={false} />
      </label>
      <p class="small quiet" role="status" id="found">
        {words.searchHelp}
      </p>
      <a class="nav-link" href="/api/docs" aria-current={currentOf('index')}>
        {words.guide}
      </a>
      {menu.map(({ heading, groups }) => (
        <div key={heading}>
          <p class="nav-group">{heading}</p>
          {groups.map(({ name, title, operations }) => (
            <details key={name} open={name === current}>
              <summary class="nav-link">{title}</summary>
              <ul>
                <li>
                  <a class="nav-link" href={`/api/docs/${name}`} aria-current={currentOf(name)}>
                    {words.about(title)}
                  </a>
                </li>
                {operations.map((each) => (
                  <li key={each.operationId} data-names={namesOf(each, schemas)}>
                    <a class="nav-link" href={`/api/docs/${name}#${each.operationId}`}>
                      <Method method={each.method} /> <span>{each.summary}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </div>
      ))}
      <a class="nav-link" href="/api/docs/schemas" aria-current={currentOf('schemas')}>
        {words.schemas}
      </a>
      <a class="nav-link" href="/api/openapi.json">
        {words.openApi}
      </a>
    </nav>
  )
}

function Guide({ text, groups }: { text: string; groups: readonly Group[] }) {
  return (
    <div class="stack">
      <Markdown text={text} />
      <h2>{words.groups}</h2>
      <ul class="field-list">
        {groups.map(({ name, title, description }) => (
          <li key={name}>
            <a href={`/api/docs/${name}`}>{title}</a>
            <Markdown text={description} />
          </li>
        ))}
      </ul>
    </div>
  )
}

type Components = ApiDocument['components']

function GroupContent({ group, components }: { group: Group; components: Components }) {
  return (
    <>
      <h1>{group.title}</h1>
      <Markdown text={group.description} />
      {group.operations.map((each) => (
        <OperationSection key={each.operationId} operation={each} components={components} />
      ))}
    </>
  )
}

function SchemasContent({ schemas }: Pick<Components, 'schemas'>) {
  return (
    <>
      <h1>{words.schemas}</h1>
      <p class="prose">{words.schemasHelp}</p>
      {Object.entries(schemas).map(([name, schema]) => (
        <section class="operation" key={name} aria-labelledby={name}>
          <h2 id={name} tabIndex={-1}>
            {name}
          </h2>
          {schema.description !== undefined && <Markdown text={schema.description} />}
          <Fields schema={schema} schemas={schemas} />
        </section>
      ))}
    </>
  )
}
