import type { ComponentChildren } from 'preact'
import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../design/button.tsx'
import { applyScheme, readScheme, type Scheme } from '../lib/scheme.ts'
import { logOut, session } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'
import { CopyCommand } from './copy-command.tsx'
import { FindDialog, useFindKeys } from './find-dialog.tsx'
import { visiblePlaces } from './places.ts'

/** Navigation and content. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [isFinding, setFinding] = useState(false)
  useFindKeys(useCallback(() => setFinding(true), []))
  // Before the page is shown: a key may be pressed at once.
  useLayoutEffect(() => {
    setOpen(false)
    setFinding(false)
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <header class="nav" data-open={isOpen}>
        <div class="nav-head">
          <a class="brand" href="/">
            {words.product}
          </a>
          <button
            type="button"
            class="button nav-toggle"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {words.menu}
          </button>
        </div>
        <button type="button" class="button find-button" onClick={() => setFinding(true)}>
          {words.find.open}
          <kbd>{words.find.keys}</kbd>
        </button>
        <nav aria-label={words.menu}>
          <ul>
            {visiblePlaces().map((place) => (
              <li key={place.path}>
                <a
                  class="nav-link"
                  href={place.path}
                  aria-current={isCurrent(place.path, path) ? 'page' : undefined}
                >
                  {words.places[place.name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Account />
      </header>
      <main class="main" id="content" tabIndex={-1}>
        {children}
      </main>
      {isFinding && <FindDialog onClose={() => setFinding(false)} />}
    </div>
  )
}

function isCurrent(place: string, path: string): boolean {
  return place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`)
}

function Account() {
  const [scheme, setScheme] = useState(readScheme())
  const choose = (next: Scheme) => {
    applyScheme(next)
    setScheme(next)
  }
  const { isBusy, run } = useAction()
  return (
    <div class="foot stack small">
      <CopyCommand />
      <label class="field">
        <span class="quiet">{words.scheme}</span>
        <select
          class="input"
          value={scheme}
          onChange={(event) => choose(event.currentTarget.value as Scheme)}
        >
          {Object.entries(words.schemes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="spread">
        <span>{session.value?.user.name}</span>
        <Button kind="plain" isBusy={isBusy} onClick={() => run(logOut)}>
          {words.login.logOut}
        </Button>
      </div>
    </div>
  )
}
