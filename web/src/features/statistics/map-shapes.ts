import { geoEqualEarth, geoPath } from 'd3-geo'
import type { FeatureCollection } from 'geojson'
import codes from 'i18n-iso-countries/codes.json'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import world from 'world-atlas/countries-110m.json'

/** A country's outline as an SVG path. */
export interface Shape {
  /** ISO 3166-1 alpha-2; empty: a territory without a code. */
  country: string
  path: string
}

export const MAP_WIDTH = 840
export const MAP_HEIGHT = 440

const ANTARCTICA = '010'

/**
 * The world's countries (Natural Earth, public domain) in the Equal Earth projection, which
 * preserves areas. Without Antarctica, to leave more room for the others.
 */
export function worldShapes(): Shape[] {
  const topology = world as unknown as Topology<{ countries: GeometryCollection }>
  const all = feature(topology, topology.objects.countries) as FeatureCollection
  const features = all.features.filter(({ id }) => id !== ANTARCTICA)
  const projection = geoEqualEarth().fitExtent(
    [
      [2, 2],
      [MAP_WIDTH - 2, MAP_HEIGHT - 2],
    ],
    { type: 'FeatureCollection', features },
  )
  // A tenth of a pixel isn't visible.
  const path = geoPath(projection).digits(1)
  const alpha2 = new Map((codes as string[][]).map(([two, , number]) => [number, two]))
  return features.map((country) => ({
    country: alpha2.get(String(country.id).padStart(3, '0')) ?? '',
    path: path(country) ?? '',
  }))
}

/** The shade of a country, 1 to 5; 0 for none. */
export function shadeOf(clicks: number, most: number): number {
  if (clicks <= 0) return 0
  return [5, 4, 3, 2].find((shade) => clicks >= leastOf(shade, most)) ?? 1
}

const ROUND = [1, 2, 5]

/**
 * The fewest clicks of a shade, for the legend: 1, 2 or 5 and zeros. Each begins at about half of
 * the next, so that a dominant country doesn't make all others look alike.
 */
export function leastOf(shade: number, most: number): number {
  if (shade <= 1) return 1
  const half = Math.max(1, most / 2)
  const power = Math.floor(Math.log10(half))
  const step = power * 3 + ROUND.findLastIndex((one) => one * 10 ** power <= half) + shade - 5
  return step < 0 ? 1 : (ROUND[step % 3] ?? 1) * 10 ** Math.floor(step / 3)
}
