import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Dialog } from '../design/dialog.tsx'
import { Facts } from '../design/facts.tsx'
import { Icon } from '../design/icon.tsx'
import { Wordmark } from '../design/wordmark.tsx'
import { useBrandInAddress } from '../lib/brand.ts'
import { logOut } from '../lib/session.ts'
import { beforeHelp, openDialog } from '../lib/shown.ts'
import { words } from '../words/common.ts'
import { Account, Settings } from './account.tsx'
import { BrandSwitch } from './brand-switch.tsx'
import { FindDialog } from './find-dialog.tsx'
import { GuardBanner } from './guard-banner.tsx'
import { type Place, visibleGroups } from './places.ts'
import { useKeys } from './use-keys.ts'
import { useWaiting } from './waiting.ts'

function close(): void {
  openDialog.value = undefined
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path, url } = useLocation()
  const showBrand = useBrandInAddress()
  const [isOpen, setOpen] = useState(false)
  const before = useRef({ path, url })
  useKeys()
  // Before the page is shown: a key may be pressed at once.
  useLayoutEffect(() => {
    setOpen(false)
    close()
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
  // The title is still that of the screen before.
  useLayoutEffect(() => {
    const [label = ''] = document.title.split(` · ${words.product}`)
    if (isCurrent('/help', path) && !isCurrent('/help', before.current.path))
      beforeHelp.value = { href: before.current.url, label }
    before.current = { path, url }
  }, [url])
  const leave = () => logOut().then(() => showBrand(''))
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <header class="nav" data-open={isOpen}>
        <div class="nav-head">
          <a class="brand" href="/">
            <Wordmark />
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
        <BrandSwitch show={showBrand} />
        <button
          type="button"
          class="button find-button"
          onClick={() => (openDialog.value = 'find')}
        >
          <Icon name="search" />
          {words.find.open}
          <kbd>{words.find.keys}</kbd>
        </button>
        <Places path={path} />
        <Account onLogOut={leave} />
      </header>
      <main class="main" id="content" tabIndex={-1}>
        <GuardBanner />
        {children}
      </main>
      {openDialog.value === 'find' && <FindDialog onClose={close} onLogOut={leave} />}
      {openDialog.value === 'keys' && <KeysDialog onClose={close} />}
      {openDialog.value === 'settings' && <Settings onClose={close} />}
    </div>
  )
}

function Places({ path }: { path: string }) {
  const waiting = useWaiting()
  const link = ({ path: href, name }: Place) => {
    const { [name]: count } = waiting
    return (
      <li key={href}>
        <a class="nav-link" href={href} aria-current={isCurrent(href, path) ? 'page' : undefined}>
          <Icon name={name} />
          {words.places[name]}
          {count !== undefined && (
            <span class="nav-count" data-tone={count.tone} title={count.label}>
              <span aria-hidden="true">{count.count > 999 ? '999+' : count.count}</span>
              <span class="hidden-text">{count.label}</span>
            </span>
          )}
        </a>
      </li>
    )
  }
  return (
    <nav aria-label={words.menu}>
      {visibleGroups().map(({ name, places }) => (
        <div key={name}>
          {name !== '' && <p class="nav-group">{words.groups[name]}</p>}
          <ul>{places.map(link)}</ul>
        </div>
      ))}
    </nav>
  )
}

function isCurrent(place: string, path: string): boolean {
  return place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`)
}

function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={words.keys.title} onClose={onClose}>
      <Facts facts={words.keys.list.map(([key, text]) => [<kbd key={key}>{key}</kbd>, text])} />
    </Dialog>
  )
}
