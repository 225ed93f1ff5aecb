export type Scheme = 'system' | 'light' | 'dark'

const key = 'mailyard.scheme'

/** The colour scheme that the reader chose; the system's by default. */
export function readScheme(): Scheme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Applies the chosen scheme, or stores and applies another one. */
export function applyScheme(scheme: Scheme = readScheme()): void {
  localStorage.setItem(key, scheme)
  const { dataset } = document.documentElement
  if (scheme === 'system') delete dataset['scheme']
  else dataset['scheme'] = scheme
}
