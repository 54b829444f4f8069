import { createTheme, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#e8f7f4',
  '#d0ece7',
  '#a2dad0',
  '#70c6b8',
  '#46b4a3',
  '#2ba795',
  '#17907f',
  '#0f7c6f',
  '#0b6b60',
  '#06544b',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eff1f4',
  '#e3e6eb',
  '#d4d8df',
  '#aeb5c0',
  '#828b99',
  '#586170',
  '#424a57',
  '#2b313b',
  '#191d24',
];

const dark: MantineColorsTuple = [
  '#e4e7ec',
  '#c3c9d3',
  '#a5adbb',
  '#7f8898',
  '#39414f',
  '#2d343f',
  '#222831',
  '#191e26',
  '#12161c',
  '#0c0f14',
];

// A dialog's title bar is a <header>, which would count as a second banner landmark.
const noLandmark = { role: 'presentation' };

/** The look of the app: one accent, slate neutrals, soft corners. */
export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 7 },
  colors: { brand, gray, dark },
  defaultRadius: 'md',
  fontFamily:
    'Geist, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    '"Geist Mono", ui-monospace, "SF Mono", "JetBrains Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // Locking the page's scroll adds an inline <style>, which the Content-Security-Policy forbids.
    Modal: {
      defaultProps: {
        lockScroll: false,
        attributes: { header: noLandmark },
        centered: true,
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.45, blur: 2 },
      },
    },
    Drawer: {
      defaultProps: {
        lockScroll: false,
        attributes: { header: noLandmark },
        overlayProps: { backgroundOpacity: 0.45, blur: 2 },
      },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 350 } },
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withinPortal: true } },
    Select: { defaultProps: { checkIconPosition: 'right' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Text: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
  },
});
