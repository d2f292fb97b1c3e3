import defaultTheme from 'vitepress/theme';
import './style.css';

export default defaultTheme;
