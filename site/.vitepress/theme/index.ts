// The theme without its web fonts, which would be half of the site.
import theme from 'vitepress/theme-without-fonts';
import './colors.css';

export default theme;
